"""The installed packages that hold the data: their files, and whether they are the pinned versions."""

import re
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent.parent / "world-requirements.txt"


def data_file(package: str, path: str) -> Path:
    """Return a file of an installed package without importing the package, which may need others."""
    return Path(str(distribution(package).locate_file(path)))


def check_versions() -> None:
    """Raise an error that names every package whose installed version is not the pinned one."""
    wrong = []
    for name, wanted in re.findall(r"^([\w.-]+)==(\S+)", REQUIREMENTS.read_text(encoding="utf-8"), re.MULTILINE):
        try:
            found = version(name)
        except PackageNotFoundError:
            found = "none"
        if found != wanted:
            wrong.append(f"{name}: {wanted} wanted, {found} found")
    if wrong:
        raise RuntimeError(f"pip install --no-deps -r tools/{REQUIREMENTS.name}\n" + "\n".join(wrong))
