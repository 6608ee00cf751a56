"""Why a song has no excerpt: the closed list, and the exception that carries one of its reasons."""

STATUSES = {
    "ok": "the excerpt is there",
    "no_audio": "the file holds no audio stream",
    "decode_error": "the file cannot be opened or decoded, or its decoder crashed or took too long",
    "source_changed": "the cached file is missing or is no longer the one that was fetched",
    "too_short": "the track is shorter than an excerpt",
    "outside_track": "the published or recorded window does not fit into the track",
    "non_finite": "the excerpt holds samples that are not numbers",
    "silent": "the excerpt is silent, or quieter than the gate of the loudness standard (-70 LUFS)",
    "too_quiet": "the excerpt would need a gain above 30 dB",
}


class UnusableError(Exception):
    """A song that gives no excerpt: `status` is a key of STATUSES, the text says what was found."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(status, message)
        self.status = status
        self.message = message
