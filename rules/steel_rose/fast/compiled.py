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


def forget_stale(folder: Path = _HERE) -> bool:
    """Removes compiled code made of other sources; True when there was some to remove.

    A folder that can't be written to is left alone: then Numba caches elsewhere, by the installed files' own times."""
    sources = b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))
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

_OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy", "fastmath": False, "boundscheck": False}
_njit: Any = nb.njit

entry = _njit(nogil=True, **_OPTIONS)
"""For functions that Python calls."""
inner = _njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)
"""For functions that only compiled code calls: no wrappers, half the compile time."""
inlined = _njit(inline="always", no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)
"""The same, copied into their callers."""
