"""Promise 2: the same pictures and PDFs, byte for byte, in any folder, zone and process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.renderers.fingerprint import fingerprint

ROOT = Path(__file__).resolve().parents[2]


def test_another_process_zone_and_folder_give_the_same_bytes(tmp_path: Path) -> None:
    env = {
        **os.environ,
        "TZ": "Asia/Vladivostok",
        "PYTHONHASHSEED": "17",
        "LANG": "C",
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "renderers" / "fingerprint.py")],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == fingerprint()
