"""Inputs that once did harm do none: `make attack` finds them and keeps them in tests/regressions/."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TARGETS = sorted(path.name for path in (ROOT / "tests" / "regressions").iterdir() if path.is_dir())


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_what_did_harm_once_is_read_or_refused(target: str) -> None:
    command = [sys.executable, "-m", "tools.attack", "--replay", target]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
