"""The 27 Cranfield runs, whole: some copies of them lost the head of their compressed text.

    python tests/restore_cranfield.py SOURCE TARGET

copies the folder ``cranfield`` of the reference data and puts the lost bytes back, so that
BAYESCORR_DATA can name a folder in which every run can be read.

In the damaged copies the ten bytes behind the gzip header are those that end an empty file; all
others are as they were. The ten bytes below were found by search: each is the only head met that
makes the rest decompress to a text with the length and the CRC-32 that end the file. Nothing is
taken on trust: both are checked again whenever a file is restored.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

#: What stands in the place of the lost bytes: no text, of length 0 and with CRC-32 0.
EMPTY = bytes.fromhex("03000000000000000000")

#: The lost bytes of each run.
HEADS = {
    "bm25-k0.9-b0.4": "84fd49922eb9ae3408ce",
    "bm25-k0.9-b0.4-stem": "8cfd4bae2e3bce2c08f6",
    "bm25-k1.2-b0.0": "84bd4d923639c824b89f",
    "bm25-k1.2-b0.0-stem": "8cbd4daeed3aaf24d8cf",
    "bm25-k1.2-b0.75": "8cfd4b9226b9ae3408ce",
    "bm25-k1.2-b0.75-stem-nostop": "8cbd4dae753bae24d6f7",
    "bm25-k2.0-b0.3": "84fd4bb225b9ae0486f6",
    "bm25-k2.0-b0.3-stem": "8cbd4dae2e3b0e2436f7",
    "coord": "7cfd4bb22cbbae6c09d6",
    "coord-stem": "849d5d8e2d318e9cdfbd",
    "lmdir-1000": "847d4d8e2eb9aedcdcab",
    "lmdir-1000-stem": "8cbd4bd22d39ce2436d7",
    "lmdir-200": "7c7d49ce243b8fe4be4f",
    "lmdir-200-stem": "84bd4bce244d0e24b6d7",
    "lmjm-0.2": "7cbd5bd225290f04f6ee",
    "lmjm-0.2-stem-nostop": "8cbd4dae75bb0e1cd6cf",
    "lmjm-0.5": "7c7d5992ee3caedcbb57",
    "lmjm-0.5-stem": "7cfd5bce2d39ce240abe",
    "lmjm-0.8": "84fd5bd22da90e3408be",
    "lmjm-0.8-stem": "84bd5b126639ab25f6ee",
    "tfidf": "745d4bb22d216e9c7b15",
    "tfidf-cos": "847d5bae35bd6edcbb47",
    "tfidf-cos-stem": "8c7d4bae2db9ae5cdfa3",
    "tfidf-cos-stem-nostop": "8c7d4bae6db98e5cdfa3",
    "tfidf-stem": "847d4992ee380fdcdea7",
}


def whole(path: Path) -> bytes:
    """Give the bytes of a run file, with its head put back where it is lost.

    Raises
    ------
    OSError, EOFError, zlib.error
        Where the file is damaged in another way: its text is not that of its CRC-32 and length.
    """
    data = path.read_bytes()
    # The header is ten bytes and the name of the file, which ends with a zero.
    start = data.index(0, 10) + 1
    head = data[start : start + len(EMPTY)]
    if head == EMPTY and len(data) > start + len(EMPTY):
        lost = bytes.fromhex(HEADS[path.name.removesuffix(".run.gz")])
        data = data[:start] + lost + data[start + len(EMPTY) :]
    gzip.decompress(data)
    return data


def restore(source: Path, target: Path) -> Path:
    """Copy a folder ``cranfield``, its runs whole."""
    for path in sorted(path for path in source.rglob("*") if path.is_file()):
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(whole(path) if path.parent.name == "runs" else path.read_bytes())
    return target


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(restore(Path(sys.argv[1]), Path(sys.argv[2])))
