"""How inputs are changed: bytes that are flipped, pieces that are cut, doubled, moved, blown up or made long."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from random import Random

_TOKENS = (
    *(b"\t", b"\n", b"\r", b"\x00", b"\xff", b"\xef\xbb\xbf", b'"', b"'", b"\\", b"<", b">", b"<<", b">>", b"&", b";"),
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b"(",
        b")",
        b".",
        b",",
        b":",
        b"@",
        b"#",
        b"^^",
        b"_:",
        b"\\u0000",
        b"\\uD800",
        b"\xed\xa0\x80",
    ),
    *(b"-1", b"0", b"1e999", b"NaN", b"9" * 30, b"9" * 5000, b"null", b"true", b"-9223372036854775809", b"4294967296"),
    *(
        "\u2028".encode(),
        "\u202e".encode(),
        "\U0010ffff".encode(),
        b"\xc3",
        b"<!--",
        b"<![CDATA[",
        b"]]>",
        b"&x;",
        b"/>",
    ),
)


def mutated(content: bytes, random: Random) -> bytes:
    """The content with one to four changes."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        content = random.choice(_CHANGES)(content, random)
    return content


def change_file(path: Path, random: Random) -> None:
    """Change a file of a folder; sometimes it is gone, a folder, or a pipe."""
    kind = random.random()
    if not path.is_file():
        return
    content = path.read_bytes()
    if kind < 0.06:
        path.unlink()
        if kind < 0.02:
            path.mkdir()
        elif kind < 0.04:
            os.mkfifo(path)
    elif path.suffix == ".npy" and kind < 0.7:
        path.write_bytes(_other_number(content, random))
    else:
        path.write_bytes(mutated(content, random))


def _other_number(content: bytes, random: Random) -> bytes:
    """An array with one other number: in range, or out of it."""
    if len(content) < 136:
        return content
    number = random.choice((0, 1, 2, 5, 100, -1, -(2**31), 2**31 - 1))
    place = 128 + 4 * random.randrange((len(content) - 128) // 4)
    return content[:place] + struct.pack("<i", number) + content[place + 4 :]


def _place(content: bytes, random: Random) -> int:
    return random.randrange(len(content) + 1)


def _span(content: bytes, random: Random) -> tuple[int, int]:
    start = _place(content, random)
    return start, min(len(content), start + int(2 ** random.uniform(0, 9)))


def _flip(content: bytes, random: Random) -> bytes:
    if not content:
        return content
    changed = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 8))):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _cut(content: bytes, random: Random) -> bytes:
    start, end = _span(content, random)
    return content[:start] + content[end:]


def _end_early(content: bytes, random: Random) -> bytes:
    return content[: _place(content, random)]


def _double(content: bytes, random: Random) -> bytes:
    start, end = _span(content, random)
    return content[:end] + content[start:end] * random.choice((1, 1, 2, 50)) + content[end:]


def _move(content: bytes, random: Random) -> bytes:
    start, end = _span(content, random)
    rest = content[:start] + content[end:]
    place = _place(rest, random)
    return rest[:place] + content[start:end] + rest[place:]


def _insert(content: bytes, random: Random) -> bytes:
    place = _place(content, random)
    return content[:place] + random.choice(_TOKENS) * random.choice((1, 1, 1, 2, 100)) + content[place:]


def _swap_lines(content: bytes, random: Random) -> bytes:
    lines = content.split(b"\n")
    first, second = random.randrange(len(lines)), random.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return b"\n".join(lines)


def _lengthen(content: bytes, random: Random) -> bytes:
    """One name or token becomes very long."""
    place = _place(content, random)
    return (
        content[:place]
        + random.choice((b"a", b"%41", b"\xc3\xa9", b" ", b"9")) * random.choice((300, 70_000))
        + content[place:]
    )


def _nest(content: bytes, random: Random) -> bytes:
    """Something that opens, many times, closed again or not."""
    start, end = random.choice(
        (
            *(
                (b"[", b"]"),
                (b"{", b"}"),
                (b"(", b")"),
                (b"<<", b">>"),
                (b"<< <a:b> <a:c> ", b" >>"),
                (b"<<( <a:b> <a:c> ", b" )>>"),
            ),
            *((b'{"a":', b"}"), (b'{"@graph":[', b"]}"), (b"<a>", b"</a>"), (b"[ <a:b> ", b"]"), (b"a.", b"")),
        )
    )
    count = random.choice((3, 100, 3000, 30_000))
    place = _place(content, random)
    return (
        content[:place] + start * count + b"<a:d>" + (end * count if random.random() < 0.5 else b"") + content[place:]
    )


_CHANGES = (_flip, _flip, _cut, _end_early, _double, _move, _insert, _insert, _swap_lines, _lengthen, _nest)
