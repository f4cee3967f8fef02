"""What an ELF binary of 64 bits says about the libraries that it needs."""

from __future__ import annotations

import struct
from typing import NamedTuple

_DYNAMIC, _LOAD = 2, 1  # of a program header
_NEEDED, _STRINGS = 1, 5  # of an entry of the dynamic section
_VERSIONS, _NUM_VERSIONS = 0x6FFFFFFE, 0x6FFFFFFF
_MACHINES = {62: "x86_64", 183: "aarch64"}


class Binary(NamedTuple):
    machine: str
    needed: list[str]  # sonames of libraries
    versions: dict[str, set[str]]  # by soname: {"libc.so.6": {"GLIBC_2.34"}}


def read_elf(path) -> Binary | None:
    """Returns None for a file that is no ELF binary."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"\x7fELF":
        return None
    if data[4:6] != b"\x02\x01":
        raise ValueError(f"{path}: wheels are made of little-endian binaries of 64 bits only")
    machine = struct.unpack_from("<H", data, 18)[0]
    if machine not in _MACHINES:
        raise ValueError(f"{path}: the machine {machine} is not known")
    segments = list(_segments(data))
    entries = []
    for segment in segments:
        if segment.kind == _DYNAMIC:
            entries = list(_entries(data, segment))
    value_of = dict(entries)

    def offset_of(address: int) -> int:
        for segment in segments:
            if segment.kind == _LOAD and 0 <= address - segment.address < segment.size:
                return segment.offset + address - segment.address
        raise ValueError(f"{path}: nothing is loaded at {address:#x}")

    def text(start: int) -> str:
        begin = offset_of(value_of[_STRINGS]) + start
        return data[begin : data.index(b"\0", begin)].decode()

    versions: dict[str, set[str]] = {}
    if _VERSIONS in value_of:
        place = offset_of(value_of[_VERSIONS])
        for _ in range(value_of[_NUM_VERSIONS]):
            _, count, library, first, following = struct.unpack_from("<HHIII", data, place)
            one = place + first
            for _ in range(count):
                _, _, _, name, step = struct.unpack_from("<IHHII", data, one)
                versions.setdefault(text(library), set()).add(text(name))
                one += step
            place += following
    return Binary(
        _MACHINES[machine], [text(value) for tag, value in entries if tag == _NEEDED], versions
    )


class _Segment(NamedTuple):
    kind: int
    offset: int
    address: int
    size: int  # in the file


def _segments(data):
    (start,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for number in range(count):
        kind, _, offset, address, _, file_size = struct.unpack_from(
            "<IIQQQQ", data, start + number * size
        )
        yield _Segment(kind, offset, address, file_size)


def _entries(data, segment: _Segment):
    """Yields tag and value of each entry of the dynamic section."""
    for place in range(segment.offset, segment.offset + segment.size, 16):
        tag, value = struct.unpack_from("<qQ", data, place)
        if tag == 0:
            return
        yield tag, value
