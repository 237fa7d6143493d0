"""Files and folders: atomic writes, and locks that go with their process."""

from __future__ import annotations

import glob
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from faan.base.errors import InputError

_LOCK = "lock"


def check_free(folder: Path, may_replace: Callable[[Path], bool] = lambda _: False, what: str = "empty") -> None:
    """Refuse a folder whose content must not be overwritten."""
    if folder.exists() and not may_replace(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"exists and is not {what}; choose another folder", source=str(folder))


def check_writable(folder: Path) -> None:
    """Refuse a place where `atomic_folder` could not write, before hours of work are spent on what goes there."""
    if folder.is_mount():
        raise InputError("is a mount point, which cannot be replaced; choose a folder in it", source=str(folder))
    with _writing(folder), tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-"):
        pass


@contextmanager
def atomic_folder(folder: Path) -> Iterator[Path]:
    """Give a new folder to write into; it replaces `folder` when the block ends well, else nothing changes."""
    with _writing(folder), tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as temporary:
        new = Path(temporary) / "new"
        new.mkdir()
        yield new
        old = Path(temporary) / "old"
        if folder.exists():
            folder.rename(old)
        try:
            new.rename(folder)
        except OSError:
            if old.exists():
                old.rename(folder)
            raise


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Make the parent folder, and name the place in errors of the file system."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror or error})", source=str(folder)) from None


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Give a file to write to; it replaces `path` when it is safely on the disk.

    Readers see the old file or the new one, never a part, even if the machine stops in between. Several processes may
    write at once: each has a temporary file of its own, and the last one to end wins.
    """
    _remove_leftovers(path)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}-") as folder, _in_use(Path(folder)):
        part = Path(folder) / "part"
        yield part
        sync(part)
        part.replace(path)
    sync(path.parent)


def write_text(path: Path, text: str) -> Path:
    """Write a text file atomically."""
    with atomic_file(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
    return path


def read_json(path: Path) -> Any:
    """Read a JSON file that can be made again."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"is damaged ({error}); remove it", source=str(path)) from None


def write_json(path: Path, content: Mapping[str, Any]) -> Path:
    """Write a JSON file atomically, and the folder it goes to."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_lines(path: Path) -> list[str]:
    """The lines of a UTF-8 file that a user named."""
    try:
        return decode_lines(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(path)) from None


def decode_lines(raw: bytes, source: str) -> list[str]:
    """The lines of a text; only line feeds end them, because names may hold other breaks (U+2028)."""
    try:
        return raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 ({error.reason})", source=source) from None


@contextmanager
def _in_use(folder: Path) -> Iterator[None]:
    """Mark a temporary folder as in use by a lock, which ends with the process however that ends."""
    with (folder / "new").open("wb") as file:
        if try_lock(file.fileno()):
            (folder / "new").rename(folder / _LOCK)  # nobody sees it before it is locked
        yield


def _remove_leftovers(path: Path) -> None:
    """Remove what killed processes left behind: temporary files for the same path that are no longer in use."""
    for mark in path.parent.glob(f".{glob.escape(path.name)}-*/{_LOCK}"):
        with suppress(OSError), mark.open("r+b") as file:
            if try_lock(file.fileno()):
                shutil.rmtree(mark.parent, ignore_errors=True)


def sync(path: Path) -> None:
    """Wait until a file, or the list of a folder's files, is on the disk."""
    if os.name == "nt" and path.is_dir():
        return  # Windows opens no folders
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Refuse to work in a folder in which another process works."""
    if os.name == "nt":
        yield  # Windows opens no folders, so there is nothing to lock
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        if try_lock(number) is False:
            raise InputError("another process is using this folder; wait for it, or stop it", source=str(folder))
        yield
    finally:
        os.close(number)


def try_lock(number: int) -> bool | None:
    """Lock an open file or folder: True if nobody else has the lock, None where the system has no such locks."""
    try:
        import fcntl  # not at the top: Windows has none
    except ModuleNotFoundError:
        return None
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
