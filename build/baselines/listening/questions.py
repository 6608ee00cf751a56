"""A question to a model that listens: sounds and texts in order."""

import hashlib
import io
from typing import Any, NamedTuple

import soundfile

from globalmood import waveform


class Clip(NamedTuple):
    """Sound as it is sent: `kind` is mp3 or wav."""

    content: bytes
    kind: str


class Question(NamedTuple):
    """What is asked about a song and a target, in the order in which it is said."""

    song_id: str
    target: str
    parts: tuple[Clip | str, ...]

    def key(self, listener: str) -> str:
        """What an answer depends on: who is asked, and everything that is said."""
        digest = hashlib.sha256(listener.encode())
        for part in self.parts:
            content = part.encode() if isinstance(part, str) else part.content
            digest.update(hashlib.sha256(content).digest())
        return digest.hexdigest()

    def again(self, reminder: str) -> "Question":
        """The question with a reminder at its end."""
        return self._replace(parts=(*self.parts, reminder))


def clip_of(audio: dict[str, Any]) -> Clip:
    """An `audio` cell as it is sent: MP3 as it is, everything else as 16-bit WAV, since chat endpoints take no FLAC."""
    if str(audio["path"]).lower().endswith(".mp3"):
        return Clip(audio["bytes"], "mp3")
    sound, rate_hz = waveform(audio)
    buffer = io.BytesIO()
    soundfile.write(buffer, sound.T, rate_hz, format="WAV", subtype="PCM_16")
    return Clip(buffer.getvalue(), "wav")
