"""Columns of texts that repeat, as distinct texts and numbers that stand for them: what is slow is done once a text."""

from collections.abc import Callable

import pyarrow as pa

CODED = pa.dictionary(pa.int32(), pa.string())
_TEXTS_A_TURN = 65_536  # texts that are Python strings at one time, which take some five times the memory

OfTexts = Callable[[pa.Array], pa.Array]


def coded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column of texts as one array of distinct texts (`dictionary`) and their numbers (`indices`)."""
    whole = column.unify_dictionaries().combine_chunks()
    return whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()


def mapped(column: pa.ChunkedArray, function: OfTexts) -> pa.Array:
    """What `function` makes of a column's texts, called on the distinct ones."""
    texts = coded(column)
    return function(texts.dictionary).take(texts.indices)


def each_text(function: Callable[[str], object], kind: pa.DataType) -> OfTexts:
    """A function of one text as a function of an array of them, with results of type `kind`."""

    def of_texts(texts: pa.Array) -> pa.Array:
        turns = (texts.slice(start, _TEXTS_A_TURN) for start in range(0, len(texts), _TEXTS_A_TURN))
        parts = [pa.array(map(function, turn.to_pylist()), kind) for turn in turns]
        return pa.concat_arrays(parts) if parts else pa.array([], kind)

    return of_texts
