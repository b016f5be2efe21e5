"""«Великая Стратегическая»: a complete ruleset (commands, state, resolver, views, reports, order language)."""

from rules.grand_strategy.ruleset import RULESET

__all__ = ["RULESET"]
