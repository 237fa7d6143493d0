"""Configurations by name: `faan-plus` is a file that ships with faan, `mine.toml` is your own file."""

from __future__ import annotations

from pathlib import Path

from faan.base.errors import InputError

SHIPPED = Path(__file__).parents[1] / "configs"


def config_names() -> list[str]:
    """The configurations that ship with faan."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def config_file(source: Path | str) -> Path:
    """The file of a configuration that is given by its name or by the path of its file."""
    name, path = _shipped(source), Path(source)
    if name is not None:
        return SHIPPED / f"{name}.toml"
    if not is_config(source):
        names = ", ".join(config_names())
        raise InputError(f"no configuration has this name; expected one of {names}, or a TOML file", source=str(path))
    return path


def config_name(source: Path | str) -> str:
    """The name of a configuration in result files: its own, or the path of a file that does not ship with faan."""
    return _shipped(source) or Path(source).as_posix()


def is_config(source: Path | str) -> bool:
    """Whether this names a configuration: one that ships with faan, or a file."""
    return _shipped(source) is not None or Path(source).suffix == ".toml" or Path(source).is_file()


def _shipped(source: Path | str) -> str | None:
    """The name of a configuration that ships with faan; older result files write `faan` as `configs/faan.toml`."""
    path = Path(source)
    is_file_of_faan = path.resolve().parent == SHIPPED.resolve() if path.exists() else path.parent == Path("configs")
    name = path.stem if path.suffix == ".toml" and is_file_of_faan else str(path)
    return name if (SHIPPED / f"{name}.toml").is_file() else None
