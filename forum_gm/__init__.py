"""The service of forum_gm: everything that has side effects (forum, store, clock, desk, command line)."""
