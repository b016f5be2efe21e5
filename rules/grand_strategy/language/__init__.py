"""How players of «Великая Стратегическая» write their orders: words (`data/language.toml`, `data/vocabulary.toml`) and frames."""

from rules.grand_strategy.language.build import order_language

__all__ = ["order_language"]
