"""The store: SQLAlchemy models and migrations; SQLite by default, PostgreSQL by URL."""

from forum_gm.storage.store import Store, StoreProblem

__all__ = ["Store", "StoreProblem"]
