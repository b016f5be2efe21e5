"""Copies one campaign's rows from a database to another as they are, seals and all: for backups, and for a move elsewhere.

Numbers stay: the chains of hashes hold them. So the target must not have rows with the same numbers already.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from forum_gm.storage.base import Base, raw_columns
from forum_gm.storage.store import StoreProblem


def copy_campaign(source: sa.Connection, target: sa.Connection, campaign_id: str) -> int:
    """Copies a campaign within the callers' transactions; returns how many rows. Raises `StoreProblem` when the target knows the
    campaign already, or has other rows under the same numbers."""
    tables = Base.metadata.sorted_tables
    for table in tables:
        _room_for(source, target, table, campaign_id)
    count = 0
    for table in tables:
        flags = {column.name for column in table.columns if isinstance(column.type, sa.Boolean)}
        for row in _rows(source, table, campaign_id):
            values = {name: bool(value) if name in flags and value is not None else value for name, value in row.items()}
            raw = {name: sa.type_coerce(value, sa.types.NullType()) for name, value in values.items()}
            target.execute(table.insert().values(raw))
            count += 1
        _go_on_counting(target, table)
    return count


def campaigns_in(connection: sa.Connection) -> list[str]:
    """Ids of the campaigns that a database holds."""
    return list(connection.execute(sa.select(Base.metadata.tables["campaigns"].c.id)).scalars())


def _mine(table: sa.Table, campaign_id: str) -> sa.ColumnElement[bool]:
    return (table.c.id if table.name == "campaigns" else table.c.campaign_id) == campaign_id


def _rows(source: sa.Connection, table: sa.Table, campaign_id: str) -> Iterator[dict[str, Any]]:
    query = sa.select(*raw_columns(table)).where(_mine(table, campaign_id)).order_by(*table.primary_key.columns)
    for row in source.execute(query).mappings():
        yield dict(row)


def _room_for(source: sa.Connection, target: sa.Connection, table: sa.Table, campaign_id: str) -> None:
    if target.execute(sa.select(sa.func.count()).select_from(table).where(_mine(table, campaign_id))).scalar():
        raise StoreProblem(f"В этой базе данных уже есть кампания «{campaign_id}»: укажите другую базу.")
    key = next(iter(table.primary_key.columns))
    taken = set(target.execute(sa.select(key)).scalars())
    if taken & set(source.execute(sa.select(key).where(_mine(table, campaign_id))).scalars()):
        raise StoreProblem("В этой базе данных записи другой кампании стоят под теми же номерами: укажите пустую базу.")


def _go_on_counting(target: sa.Connection, table: sa.Table) -> None:
    """PostgreSQL counts row numbers by itself and doesn't notice those that were brought along."""
    if target.dialect.name != "postgresql" or "id" not in table.c or not isinstance(table.c.id.type, sa.Integer):
        return
    highest = sa.select(sa.func.max(table.c.id)).scalar_subquery()
    sequence = sa.func.pg_get_serial_sequence(table.name, "id")
    # An empty table goes on at 1: the third argument says whether the number has been used.
    used = sa.func.setval(sequence, sa.func.coalesce(highest, 1), highest.is_not(None))
    target.execute(sa.select(used))
