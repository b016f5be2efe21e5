"""How the kernel's functions are compiled: cached on disk, IEEE doubles as written (no fast-math, no contraction)."""

from __future__ import annotations

from typing import Any

import numba as nb

_OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy", "fastmath": False, "boundscheck": False}

_njit: Any = nb.njit

entry = _njit(nogil=True, **_OPTIONS)
"""For functions that Python calls."""
inner = _njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)
"""For functions that only compiled code calls: no wrappers, half the compile time."""
inlined = _njit(inline="always", no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)
"""The same, copied into their callers."""
