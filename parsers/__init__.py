"""Russian order text -> structured commands; knows no ruleset by name."""
