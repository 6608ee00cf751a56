"""Schemas of the tables that pass between stages, and the two functions that every stage starts or ends with.

One row of
  SONGS    a song of the source list; `url` null means its YouTube page, `start_s` null no published window
  SPLITS   where a song belongs: `split` is train or test, `fold` 0-4 in train and null in test
  FETCHED  what the fetch stage knows of a song: `path` and `sha256` are null unless `status` is ok
  CLIPS    an excerpt: what does not apply is null, `path` is null unless `status` is ok
  RATINGS  one rater's answer to one song and term; `repetition` 0 is the first answer, 1, 2, ... are repeat trials
  CELLS    a language's raters on one song and term: `mean` null without ratings, `std` (ddof 1) null below two
  TERMS    a rated term, `rank` from 1 within its language; LEXICON: an elicited one before the cut
  CHAINS   one act in an elicitation chain; PARTICIPANTS: a person at one stage, by pseudonym

`term_id` is the term's matching form (`match_key`); tables join on (language, term_id), display text keeps its bytes.
"""

import unicodedata

import pyarrow as pa


def _schema(required: dict[str, pa.DataType], nullable: dict[str, pa.DataType] | None = None) -> pa.Schema:
    return pa.schema(
        [pa.field(name, kind, nullable=False) for name, kind in required.items()]
        + [pa.field(name, kind) for name, kind in (nullable or {}).items()]
    )


TEXT, LIST, COUNT, REAL = pa.string(), pa.list_(pa.string()), pa.int32(), pa.float64()

SONGS = _schema(
    {"song_id": TEXT, "title": TEXT, "artist": TEXT, "country": TEXT},
    {
        "url": TEXT,
        "start_s": REAL,
        "first_chart_week": pa.date32(),
        "peak_rank": pa.int16(),
        "weeks_on_chart": pa.int16(),
    },
)
SPLITS = _schema({"song_id": TEXT, "split": TEXT}, {"fold": pa.int8()})
FETCHED = _schema({"song_id": TEXT, "status": TEXT}, {"message": TEXT, "path": TEXT, "sha256": TEXT})
CLIPS = _schema(
    {"song_id": TEXT, "status": TEXT},
    {
        "message": TEXT,
        "window": TEXT,
        "start_s": REAL,
        "start_sample": pa.int64(),
        "track_duration_s": REAL,
        "loudness_in_lufs": REAL,
        "loudness_out_lufs": REAL,
        "gain_db": REAL,
        "limiter_db": REAL,
        "peak_out_dbfs": REAL,
        "true_peak_out_dbtp": REAL,
        "loudness_policy": TEXT,
        "codec": TEXT,
        "source_format": TEXT,
        "source_sha256": TEXT,
        "audio_sha256": TEXT,
        "path": TEXT,
    },
)
RATINGS = _schema(
    {
        "language": TEXT,
        "song_id": TEXT,
        "participant": COUNT,
        "term_id": TEXT,
        "term": TEXT,
        "rating": pa.int8(),
        "repetition": pa.int8(),
    }
)
CELLS = _schema(
    {"language": TEXT, "song_id": TEXT, "term_id": TEXT, "count": pa.int16()},
    {"mean": pa.float32(), "std": pa.float32()},
)
_TERM = {"language": TEXT, "term_id": TEXT}
_SCORE = {"frequency": COUNT, "mean_rating": REAL, "score": REAL}
TERMS = _schema({**_TERM, "rank": pa.int16(), "term": TEXT, **_SCORE}, {"translation": TEXT})
LEXICON = _schema({**_TERM, "term": TEXT, **_SCORE, "variants": LIST}, {"translation": TEXT})
CHAINS = _schema(
    {
        "language": TEXT,
        "song_id": TEXT,
        "chain_set": TEXT,
        "chain": TEXT,
        "step": pa.int16(),
        "participant": COUNT,
        "tag": TEXT,
        "action": TEXT,
    },
    {"rating": pa.int8()},
)
PARTICIPANTS = _schema(
    {
        "language": TEXT,
        "participant": COUNT,
        "stage": TEXT,
        "n_trials": COUNT,
        "n_ratings": COUNT,
        "flags": pa.list_(TEXT),
    }
)
DROPPED = _schema({"file": TEXT, "row": pa.int64(), "reason": TEXT, "detail": TEXT})


def conform(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of `schema`, in its order and types.

    Raises ValueError naming the missing columns, or the column that holds nulls where none are allowed.
    """
    missing = [name for name in schema.names if name not in table.column_names]
    if missing:
        raise ValueError(f"columns missing: {missing}; there are {table.column_names}")
    holed = [field.name for field in schema if not field.nullable and table[field.name].null_count]
    if holed:
        raise ValueError(f"nulls in columns that must be filled: {holed}")
    return table.select(schema.names).cast(schema)


def encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column of strings as codes and the different strings."""
    whole = column.combine_chunks()
    return whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()


def match_key(text: str) -> str:
    """The form in which two spellings of a term are the same: NFKC, case-folded, white space single.

    >>> match_key("  Rythmé ") == match_key("RYTHMÉ")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())
