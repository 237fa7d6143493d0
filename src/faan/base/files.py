"""Files and folders: atomic writes, and locks that end with their process."""

from __future__ import annotations

import ctypes
import glob
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from faan.base.errors import InputError

_NEW, _OLD = "new", "old"  # folders that change places
_SCRATCH = "faan-scratch-"
_RANDOM = "?" * 8  # what mkdtemp puts behind a prefix
_SMALL = 1 << 24  # characters of a file of settings or notes
_RENAME_EXCHANGE, _HERE = 2, -100  # of renameat2 and renamex_np; AT_FDCWD


def check_free(folder: Path, may_replace: Callable[[Path], bool] = lambda _: False, what: str = "empty") -> None:
    """Refuse a folder whose content must not be overwritten."""
    if folder.exists() and not may_replace(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"exists and is not {what}; choose another folder", source=str(folder))


def check_writable(folder: Path) -> None:
    """Refuse a place where `atomic_folder` could not write, before hours of work are spent on what goes there."""
    if os.path.ismount(folder):  # Path.is_mount does not know Windows before Python 3.12
        raise InputError("is a mount point, which cannot be replaced; choose a folder in it", source=str(folder))
    with _writing(folder), temporary_beside(folder):
        pass


@contextmanager
def atomic_folder(folder: Path) -> Iterator[Path]:
    """Yield a new folder to write into; it replaces `folder` if the block succeeds, else nothing changes.

    Whenever the process is killed, one of the two is there as a whole. What it leaves beside them is removed by the
    next one that writes the same folder.
    """
    with _writing(folder), temporary_beside(folder) as temporary:
        new = temporary / _NEW
        new.mkdir()
        yield new
        for path in (*new.rglob("*"), new):
            sync(path)
        _swap(new, folder)
        sync(folder.parent)


def _swap(new: Path, folder: Path) -> None:
    """Put a folder in the place of another one."""
    old = new.with_name(_OLD)
    if not folder.exists():
        new.rename(folder)
    elif not exchange(new, folder):
        folder.rename(old)  # a process that is killed here leaves both: `_finish` ends what it began
        try:
            new.rename(folder)
        except OSError:
            old.rename(folder)
            raise


def _finish(temporary: Path, folder: Path) -> None:
    """Finish a replacement if a process was killed after it had moved the old folder away."""
    if (temporary / _OLD).exists() and (temporary / _NEW).exists() and not folder.exists():
        (temporary / _NEW).rename(folder)


def exchange(one: Path, other: Path) -> bool:
    """Swap two folders in one step; False where the system has no such step."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            return bool(library.renamex_np(bytes(one), bytes(other), _RENAME_EXCHANGE) == 0)
        return bool(library.renameat2(_HERE, bytes(one), _HERE, bytes(other), _RENAME_EXCHANGE) == 0)
    except (OSError, AttributeError, TypeError):  # Windows; an old C library
        return False


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
    with temporary_beside(path) as folder:
        mark, part = folder / "mark", folder / "part"
        mark.touch()
        yield part
        part.chmod(mark.stat().st_mode)  # by the user's umask; some libraries write files that only the owner can read
        sync(part)
        part.replace(path)
    sync(path.parent)


def write_text(path: Path, text: str) -> Path:
    """Write a text file atomically."""
    with atomic_file(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
    return path


def read_small(path: Path, most: int = _SMALL) -> str:
    """The text of a file of settings or notes; a pipe, a device or a huge file in its place is refused."""
    with open(path, encoding="utf-8", opener=_open_at_once) as file:  # Path.open takes none
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise InputError("is not a regular file; put the file itself in its place", source=str(path))
        try:
            text = file.read(most + 1)
        except UnicodeDecodeError as error:
            raise InputError(f"is not UTF-8 text ({error.reason}); it is damaged", source=str(path)) from None
    if len(text) > most:
        raise InputError(
            f"has more than {most:,} characters; it is damaged, or faan did not write it", source=str(path)
        )
    return text


def _open_at_once(path: str, flags: int) -> int:
    """Open a file; do not wait for a writer if it is a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_json(path: Path) -> Any:
    """Read a JSON file that faan wrote and can write again."""
    text = read_small(path)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
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
        raise InputError(f"not UTF-8 ({error.reason}); save it as UTF-8", source=source) from None


@contextmanager
def temporary_beside(path: Path) -> Iterator[Path]:
    """A hidden folder beside a file or folder that is to be written; those of killed processes are removed."""
    prefix = f".{path.name}-faan-"
    for leftover in _unused(path.parent, prefix):
        _finish(leftover, path)
        shutil.rmtree(leftover, ignore_errors=True)
    folder, remove = _locked_folder(path.parent, prefix)
    try:
        yield folder
    finally:
        remove()


def scratch_folder() -> tuple[Path, Callable[[], None]]:
    """A temporary folder for work that takes long, and what removes it; those of killed processes are removed now."""
    place = Path(tempfile.gettempdir())
    for leftover in _unused(place, _SCRATCH):
        shutil.rmtree(leftover, ignore_errors=True)
    return _locked_folder(place, _SCRATCH)


def _locked_folder(place: Path, prefix: str) -> tuple[Path, Callable[[], None]]:
    """A new folder with a lock that ends with the process, and what removes both."""
    while True:
        folder = Path(tempfile.mkdtemp(dir=place, prefix=prefix))
        lock = os.open(os.devnull if os.name == "nt" else folder, os.O_RDONLY)  # Windows opens no folders
        if try_lock(lock) is not False and folder.exists():
            break
        os.close(lock)  # another process took it for a leftover before it was locked

    def remove() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)

    return folder, remove


def _unused(place: Path, prefix: str) -> Iterator[Path]:
    """The temporary folders of processes that were killed: those without a lock."""
    if os.name == "nt":
        return
    for folder in place.glob(f"{glob.escape(prefix)}{_RANDOM}"):
        with suppress(OSError):
            number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if os.fstat(number).st_uid == os.getuid() and try_lock(number):
                    yield folder
            finally:
                os.close(number)


def sync(path: Path) -> None:
    """Wait until a file, or the list of a folder's files, is on the disk."""
    if os.name == "nt" and path.is_dir():
        return  # Windows opens no folders
    number = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)  # Windows syncs what may be written only
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
    """Lock an open file or folder: True if no other process has the lock, None if the system has no such locks."""
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
