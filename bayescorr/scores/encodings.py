"""Decode text: UTF-8, UTF-16 and UTF-32 with a byte order mark, or else Windows-1252."""

from __future__ import annotations

import codecs
from typing import NamedTuple

#: Byte order marks; that of UTF-32 starts with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f"))


class Decoded(NamedTuple):
    """Text, with a note on how it was decoded, or else a problem and its remedy."""

    text: str = ""
    note: str = ""
    problem: str = ""
    remedy: str = ""


_WITHOUT_MARK = Decoded(
    problem="this looks like UTF-16 without a byte order mark.", remedy="Save the file as UTF-8."
)


def decode(content: bytes) -> Decoded:
    """Decode the content of a text file; notes and problems start with the line if there is one.

    Text that is not UTF-8 is read as Windows-1252, which contains the printable Latin-1, unless it
    has control characters: those are signs of a binary file.
    """
    mark = next((mark for mark in _MARKS if content.startswith(mark)), b"")
    encoding = _MARKS.get(mark, "utf-8")
    try:
        text = content[len(mark) :].decode(encoding)
    except UnicodeDecodeError as problem:
        return _decode_otherwise(content, encoding, problem.start + len(mark), bool(mark))
    if "\0" not in text:
        return Decoded(text)
    if not mark and _looks_like_utf16(content):
        return _WITHOUT_MARK
    line = text.count("\n", 0, text.index("\0")) + 1
    return Decoded(
        problem=f"line {line}: NUL byte in a text file.", remedy="Save the file as text."
    )


def _decode_otherwise(content: bytes, encoding: str, start: int, marked: bool) -> Decoded:
    """Decode what is not in the encoding; ``start`` is the first byte that does not fit."""
    line = content.count(b"\n", 0, start) + 1
    if not marked and content.translate(None, _CONTROL) == content:
        try:
            text = content.decode("cp1252")
        except UnicodeDecodeError:
            pass
        else:
            found = f"line {line}: not UTF-8; read as Windows-1252 (Latin-1)."
            return Decoded(text, f"{found} The first such character is {text[start]!r}.")
    if not marked and _looks_like_utf16(content):
        return _WITHOUT_MARK
    found = f"line {line}: not {encoding.upper()} text (byte 0x{content[start]:02x})."
    return Decoded(problem=found, remedy="Save the file as UTF-8 text.")


def _looks_like_utf16(content: bytes) -> bool:
    """Return whether nearly every second byte is NUL, as in UTF-16 of mostly ASCII characters."""
    start = content[:1000]
    halves = (start[::2], start[1::2])
    return any(half and half.count(0) >= 0.9 * len(half) for half in halves)
