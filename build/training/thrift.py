"""Values in Thrift's compact protocol, in which Parquet writes its footer, its page index and its page headers.

After the protocol's specification (apache/thrift, doc/specs/thrift-compact-protocol.md). pyarrow reads these structures
too and keeps where a page lies to itself.
"""

from typing import Any

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12
LONG_LIST = 15  # the count of a list that does not fit into the four bits beside its type

Struct = dict[int, Any]


def read_struct(data: memoryview, at: int) -> tuple[Struct, int]:
    """The struct that begins at `at`, as field id -> value, and the place after it.

    Strings are bytes; a double stays as its eight bytes. Raises ValueError or IndexError where the data is no struct.
    """
    fields: Struct = {}
    number = 0
    while head := data[at]:
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _signed(data, at)
        fields[number], at = (head & 15 == TRUE, at) if head & 15 <= FALSE else _value(data, at, head & 15)
    return fields, at + 1


def _value(data: memoryview, at: int, kind: int) -> tuple[Any, int]:
    if kind in (TRUE, FALSE, BYTE):  # in a list a boolean has a byte of its own
        return data[at], at + 1
    if kind in (I16, I32, I64):
        return _signed(data, at)
    if kind == DOUBLE:
        return bytes(data[at : at + 8]), at + 8
    if kind == BINARY:
        size, at = _unsigned(data, at)
        return bytes(data[at : at + size]), at + size
    if kind in (LIST, SET):
        return _list(data, at)
    if kind == STRUCT:
        return read_struct(data, at)
    raise ValueError(f"type {kind} at byte {at} is none of Thrift's")


def _list(data: memoryview, at: int) -> tuple[list[Any], int]:
    count, kind = data[at] >> 4, data[at] & 15
    at += 1
    if count == LONG_LIST:
        count, at = _unsigned(data, at)
    values = []
    for _ in range(count):
        value, at = _value(data, at, kind)
        values.append(value)
    return values, at


def _unsigned(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def _signed(data: memoryview, at: int) -> tuple[int, int]:
    value, at = _unsigned(data, at)
    return (value >> 1) ^ -(value & 1), at
