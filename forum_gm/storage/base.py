"""Foundations of the store: UTC times, canonical JSON, and sealed rows whose every changed byte is noticed (promise 3)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.orm import DeclarativeBase, Mapped, Mapper, mapped_column
from sqlalchemy.orm.attributes import set_committed_value

Json = Any


def canonical(value: Json) -> str:
    """JSON with sorted keys and no blanks: the same value, the same bytes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def sha256(text: str) -> str:
    """Hex SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class UtcTime(sa.TypeDecorator[datetime]):
    """A moment, kept as sortable ISO text in UTC to the microsecond."""

    impl = sa.String(32)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> str | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("only aware times are stored")
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> datetime | None:
        return None if value is None else datetime.fromisoformat(value)


class CanonicalJson(sa.TypeDecorator[Json]):
    """A JSON value, kept as canonical text."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Json, dialect: sa.Dialect) -> str | None:
        return None if value is None else canonical(value)

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> Json:
        return None if value is None else json.loads(value)


class Base(DeclarativeBase):
    """All tables. Every row carries the digest of its own stored columns."""

    metadata = sa.MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {datetime: UtcTime, dict[str, Any]: CanonicalJson, list[Any]: CanonicalJson, str: sa.Text}

    digest: Mapped[str] = mapped_column(sa.String(64), default="", sort_order=999)
    """Seal of the row: SHA-256 of its other columns as stored."""


def raw_columns(table: sa.Table) -> list[sa.ColumnElement[Any]]:
    """The table's columns as the driver gives them, without our types' conversion."""
    return [sa.type_coerce(column, sa.types.NullType()).label(column.name) for column in table.columns]


def row_digest(row: Mapping[str, Any]) -> str:
    """The seal of a raw row."""
    plain = {name: int(value) if isinstance(value, bool) else value for name, value in row.items() if name != "digest"}
    return sha256(canonical(plain))


@cache
def _sealing(table: sa.Table) -> tuple[sa.Select[Any], sa.Update]:
    """How a row of a table is looked up and sealed: made once, for this happens at every write."""
    where = sa.and_(*(column == sa.bindparam(f"key_{column.name}", type_=column.type) for column in table.primary_key.columns))
    return sa.select(*raw_columns(table)).where(where), table.update().where(where).values(digest=sa.bindparam("seal"))


def _seal(mapper: Mapper[Any], connection: sa.Connection, target: Base) -> None:
    table = mapper.local_table
    if not isinstance(table, sa.Table):
        return
    look, write = _sealing(table)
    key = {
        f"key_{column.name}": getattr(target, mapper.get_property_by_column(column).key) for column in table.primary_key.columns
    }
    row = connection.execute(look, key).mappings().one()
    digest = row_digest(dict(row))
    if row["digest"] != digest:
        connection.execute(write, {**key, "seal": digest})
    set_committed_value(target, "digest", digest)


event.listen(Base, "after_insert", _seal, propagate=True)
event.listen(Base, "after_update", _seal, propagate=True)


def broken_rows(connection: sa.Connection, tables: Sequence[sa.Table] | None = None) -> list[tuple[str, str]]:
    """(table, primary key) of every row that is not as it was sealed."""
    out: list[tuple[str, str]] = []
    for table in tables if tables is not None else Base.metadata.sorted_tables:
        for row in connection.execute(sa.select(*raw_columns(table))).mappings():
            if row["digest"] != row_digest(dict(row)):
                key = ",".join(str(row[column.name]) for column in table.primary_key.columns)
                out.append((table.name, key))
    return out


def reseal(connection: sa.Connection, name: str, *, added: Sequence[str] = (), dropped: Sequence[str] = ()) -> None:
    """Seals a table's rows anew for a migration that has `added` columns (or will drop some). A row that wasn't as it had been
    sealed keeps its old seal: a migration must not heal what somebody has changed."""
    found = sa.inspect(connection).get_columns(name)
    table = sa.Table(name, sa.MetaData(), *(sa.Column(column["name"], sa.types.NullType()) for column in found))
    rows = [dict(row) for row in connection.execute(sa.select(table)).mappings()]
    for row in rows:
        before = {column: value for column, value in row.items() if column not in added}
        after = {column: value for column, value in row.items() if column not in dropped}
        if row["digest"] == row_digest(before):
            connection.execute(table.update().where(table.c.id == row["id"]).values(digest=row_digest(after)))
