"""Keeps when each text of a post was last seen: an edit that is found later is certainly of after that."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from forum_gm.storage import base as types

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("revisions") as batch:
        batch.add_column(sa.Column("last_seen_at", types.UtcTime(length=32), nullable=True))
    types.reseal(op.get_bind(), "revisions", added=("last_seen_at",))


def downgrade() -> None:
    types.reseal(op.get_bind(), "revisions", dropped=("last_seen_at",))
    with op.batch_alter_table("revisions") as batch:
        batch.drop_column("last_seen_at")
