"""Alembic's environment: works on the connection that the store hands over."""

from __future__ import annotations

from alembic import context

from forum_gm.storage import models  # noqa: F401  (registers the tables)
from forum_gm.storage.base import Base

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    user_module_prefix="types.",
)
with context.begin_transaction():
    context.run_migrations()
