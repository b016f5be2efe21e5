"""How владыки write their orders: the words (`data/language.toml`), the frames of §3 and what the view knows by name."""

from rules.astral.language.build import order_language

__all__ = ["order_language"]
