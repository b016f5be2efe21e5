"""How orders of «Война Стальной Розы» are written: words and names, joined things, frames, and `order_language`."""

from rules.steel_rose.language.build import order_language

__all__ = ["order_language"]
