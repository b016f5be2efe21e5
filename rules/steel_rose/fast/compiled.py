"""How the kernel's functions are compiled: cached on disk, IEEE doubles as written (no fast-math, no contraction).

Numba's cache knows only a function's own file, not those it calls into; so the cached code of this folder is thrown away as
soon as any of its sources differs from those it was made of."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from typing import Any

import numba as nb

_HERE = Path(__file__).parent
SOURCES = ("blows", "compiled", "factors", "kernel", "layout", "random", "rounds")
"""The modules that compiled code is made of."""


def forget_stale(folder: Path = _HERE) -> bool:
    """Removes compiled code made of other sources; True when there was some to remove.

    A folder that can't be written to is left alone: then Numba caches elsewhere, by the installed files' own times."""
    sources = b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")) if path.stem in SOURCES)
    digest = hashlib.sha256(sources).hexdigest()
    stamp = folder / "__pycache__" / "kernel.sources"
    with contextlib.suppress(OSError):
        if stamp.exists() and stamp.read_text("ascii") == digest:
            return False
        stale = [*stamp.parent.glob("*.nbi"), *stamp.parent.glob("*.nbc")]
        for path in stale:
            path.unlink(missing_ok=True)
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(digest, "ascii")
        return bool(stale)
    return False


forget_stale()


def can_keep(decorate: Any = nb.njit) -> bool:
    """False where compiled code can be written to no folder: then every process compiles anew."""
    try:
        decorate(cache=True)(forget_stale)
    except RuntimeError:
        return False
    return True


_OPTIONS: dict[str, Any] = {"cache": can_keep(), "error_model": "numpy", "fastmath": False, "boundscheck": False}
_njit: Any = nb.njit

entry = _njit(nogil=True, **_OPTIONS)
"""For functions that Python calls."""
# Functions that only compiled code calls have no wrappers, and count no references to the arrays that the entry holds for them:
# counting took a third of the time.
_OPTIONS |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
inner = _njit(**_OPTIONS)
"""For what happens seldom: a call."""
hot = _njit(forceinline=True, **_OPTIONS)
"""Compiled into its callers: to pass the description of a dozen arrays costs more than a shot."""
copied = _njit(inline="always", **_OPTIONS)
"""For the large ones, called from one place: copied there before compilation, so that they are compiled but once."""


def kept(function: Any) -> bool:
    """Whether an entry's compiled code is on disk, made of these sources; if not, its first call takes its time."""
    folder = function.stats.cache_path
    name = f"{Path(function.py_func.__code__.co_filename).stem}.{function.py_func.__qualname__}-"
    return folder is not None and any(path.name.startswith(name) for path in Path(folder).glob("*.nbc"))
