"""`build.training.thrift`, on bytes put together by hand after the protocol's specification."""

import pytest

from build.training.thrift import read_struct


def read(*data: int):
    return read_struct(memoryview(bytes(data)), 0)


@pytest.mark.parametrize(
    ("data", "fields"),
    [
        ([0x00], {}),
        ([0x15, 0x02, 0x00], {1: 1}),  # i32, zigzag
        ([0x15, 0x01, 0x00], {1: -1}),
        ([0x16, 0xAC, 0x04, 0x00], {1: 278}),  # i64, two bytes: 0x2C + (4 << 7) = 556, zigzag of 278
        ([0x11, 0x12, 0x00], {1: True, 2: False}),  # booleans live in the type
        ([0x13, 0x07, 0x00], {1: 7}),  # a byte
        ([0x28, 0x03, 0x61, 0x62, 0x63, 0x00], {2: b"abc"}),
        ([0x17, *range(8), 0x00], {1: bytes(range(8))}),  # a double keeps its bytes
        ([0x05, 0x50, 0x02, 0x15, 0x04, 0x00], {40: 1, 41: 2}),  # an id of its own, then one more
        ([0x19, 0x25, 0x02, 0x04, 0x00], {1: [1, 2]}),
        ([0x19, 0x21, 0x01, 0x02, 0x00], {1: [1, 2]}),  # booleans in a list have a byte each
        ([0x19, 0xF3, 0x10, *range(16), 0x00], {1: list(range(16))}),  # a list of more than 14
        ([0x1C, 0x15, 0x02, 0x00, 0x15, 0x04, 0x00], {1: {1: 1}, 2: 2}),  # a struct within
        ([0x19, 0x1C, 0x15, 0x02, 0x00, 0x00], {1: [{1: 1}]}),
    ],
)
def test_values(data, fields):
    assert read(*data) == (fields, len(data))


def test_reading_starts_where_it_is_told_and_says_where_the_struct_ended():
    assert read_struct(memoryview(bytes([0xFF, 0x15, 0x02, 0x00, 0xFF])), 1) == ({1: 1}, 4)


def test_a_type_that_there_is_not_is_an_error():
    with pytest.raises(ValueError, match="type 14 at byte 1"):
        read(0x1E, 0x00)


def test_data_that_ends_early_is_an_error():
    with pytest.raises(IndexError):
        read(0x15)
