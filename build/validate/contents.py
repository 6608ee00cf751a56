"""What the columns of a file hold, sound left aside: readable to the end, filled where they must be, of sane size.

Whatever looks at rows afterwards can rely on this, also in a file that was made to do harm.
"""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from build import tables
from build.dataset.shards import ROWS_A_ROW_GROUP, SONGS_A_ROW_GROUP, SOUND

LONGEST_TEXT = 10_000  # bytes; a text that repeats is stored once in a file, and once a row in memory
WIDEST_ROW_GROUP_BYTES = 64_000_000  # what the Hub's viewer reads comfortably
MOST_ROWS = 20_000_000  # a file: rows that repeat take no room in it, and some 50 bytes each in memory
NEVER_NULL = {
    config: [field.name for field in schema if not field.nullable]
    for config, schema in {
        "ratings": tables.RATINGS,
        "terms": tables.TERMS,
        "lexicon": tables.LEXICON,
        "chains": tables.CHAINS,
        "participants": tables.PARTICIPANTS,
    }.items()
} | {
    "all": ["song_id", "title", "artist", "country", "status"],
    "scores": ["id", "name", "source", "is_pure_music", "split"],  # this and the next: MADB's
    "annotations": ["id", "annotator"],
}


def check_contents(parquet: pq.ParquetFile, config: str) -> Iterator[str]:
    """What is wrong with the row groups of a file of `config`, a sentence each; the first row group that is stops it.

    Raises pa.ArrowException or OSError for what cannot be read.
    """
    rows, most = parquet.metadata.num_rows, SONGS_A_ROW_GROUP if config == "all" else ROWS_A_ROW_GROUP
    if rows > MOST_ROWS:
        yield f"it has {rows} rows, more than {MOST_ROWS}"
        return
    for index in range(parquet.metadata.num_row_groups):
        described = parquet.metadata.row_group(index)
        if described.total_byte_size > WIDEST_ROW_GROUP_BYTES:
            yield f"row group {index} has {described.total_byte_size} bytes, more than {WIDEST_ROW_GROUP_BYTES}"
        if described.num_rows > most:
            yield f"row group {index} has {described.num_rows} rows, more than {most}"
            return
        if problem := _problem(parquet, index, config):
            yield f"row group {index}: {problem}"
            return


def text_columns(parquet: pq.ParquetFile) -> list[str]:
    """The Parquet columns of text, to be read as dictionaries: each text once, however often it stands in the file."""
    columns = [parquet.schema.column(index) for index in range(len(parquet.schema))]
    return [column.path for column in columns if column.physical_type == "BYTE_ARRAY" and column.path != SOUND]


def _problem(parquet: pq.ParquetFile, index: int, config: str) -> str | None:
    names = [name for name in parquet.schema_arrow.names if name != "audio"]
    group = parquet.read_row_group(index, columns=names).combine_chunks()
    group.validate(full=True)
    holed = [name for name in NEVER_NULL.get(config, ()) if group[name].null_count]
    holed += [name for name in names if _has_null_lists(group[name])]
    if holed:
        return f"nulls in {holed}, which must be filled"
    long = [name for name in names if _longest(group[name]) > LONGEST_TEXT]
    return f"texts of more than {LONGEST_TEXT} bytes in {long}" if long else None


def _has_null_lists(column: pa.ChunkedArray) -> bool:
    """Whether a struct of lists of a fixed length, which a language is, is null somewhere, or one of its lists."""
    kind = column.type
    if not pa.types.is_struct(kind) or not all(pa.types.is_fixed_size_list(field.type) for field in kind):
        return False
    return bool(column.null_count or any(inner.null_count for chunk in column.chunks for inner in chunk.flatten()))


def _longest(column: pa.ChunkedArray) -> int:
    """The bytes of the longest text in a column of texts read as dictionaries, or of lists of them; 0 in others."""
    longest = 0
    for chunk in column.chunks:
        values = chunk.flatten() if pa.types.is_list(chunk.type) else chunk
        texts = values.dictionary if pa.types.is_dictionary(values.type) else values
        if pa.types.is_string(texts.type):
            longest = max(longest, pc.max(pc.binary_length(texts)).as_py() or 0)
    return longest
