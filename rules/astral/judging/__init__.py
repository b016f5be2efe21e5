"""Judges a sheet command by command: refusals, warnings, costs (R6, R7, §8). Serves `check` and the resolution alike.

Everything is judged from the owner's own view: nothing a player is told can depend on what he may not know. Only the
resolution knows which items other sheets bring him (R124) and passes them in.

`sheet` holds the table of judges, one function for each command type: it returns the verdict or refuses. They share a
`Hearing`, the sheet with its verdicts so far, and the pieces `amounts`, `targets`, `equipment` and `slots`.
"""

from rules.astral.judging.sheet import judge
from rules.astral.judging.verdicts import Judged, Judgement, Plan, Share

__all__ = ["Judged", "Judgement", "Plan", "Share", "judge"]
