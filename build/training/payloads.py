"""The encoded sound of songs, one after the other, and the waveforms of a batch."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
import soundfile

from build.errors import RunError
from build.training.files import Files, Span
from build.training.pages import LayoutError, payload
from build.training.request import Request
from build.training.songs import Songs
from build.training.sound import decode


def read_payloads(files: Files, songs: Songs, rows: Sequence[int]) -> Iterator[memoryview | None]:
    """The encoded sound of the songs in `rows` in turn, None for a song without audio.

    A page is read once for neighbours in it, and a payload is a view into the page, not a copy of it.
    """
    spans = [songs.spans[row] for row in rows]
    pages = files.read_each(span for span, _ in groupby(span for span in spans if span))
    last: Span | None = None
    page: bytes | memoryview = b""
    for row, span in zip(rows, spans, strict=True):
        if span != last and span is not None:
            last, page = span, next(pages)
        try:
            yield payload(page, songs.places[row]) if span else None
        except (LayoutError, LookupError, ValueError) as error:
            raise RunError(
                f"{files.root}/{last and last.name}: song {songs.ids[row]} is not where it was ({error}); "
                "if the file was replaced since it was opened, open the dataset again"
            ) from error


def waveforms(payloads: Sequence[memoryview | None], ids: Sequence[str], request: Request) -> np.ndarray:
    """Decode into float32 of shape (songs, channels, samples), zeros for a song without audio.

    Raises RunError, which names the song, for sound that cannot be decoded or is not as long as an excerpt.
    """
    batch = np.zeros((len(payloads), *request.sound_shape), np.float32)
    for encoded, song_id, place in zip(payloads, ids, batch, strict=True):
        if encoded is None:
            continue
        try:
            samples = decode(encoded, request.rate_hz, request.mono)
            place[:] = samples.T
        except (soundfile.LibsndfileError, ValueError) as error:
            raise RunError(
                f"song {song_id}: its audio cannot be used ({error}); `python -m build validate` checks all of it"
            ) from error
    return batch
