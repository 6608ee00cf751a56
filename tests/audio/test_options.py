"""What can be asked of excerpts."""

import pytest

from build.audio.options import ClipOptions
from build.errors import InputError


@pytest.mark.parametrize(("codec", "policy"), [("flac", "limit"), ("source", "headroom")])
def test_each_codec_has_a_default_policy(codec, policy):
    assert ClipOptions(codec=codec).policy == policy


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"codec": "mp3"}, "--codec mp3: allowed are flac, source"),
        ({"policy": "loud"}, "--policy loud with --codec flac: allowed are limit, headroom, peak, none"),
        ({"policy": "exact"}, r"--policy exact with --codec flac \(16-bit FLAC cannot hold peaks above full scale\)"),
        (
            {"policy": "limit", "codec": "source"},
            r"\(packets that are copied cannot be limited\): allowed are",
        ),
        ({"loudness_lufs": 3.0}, "--loudness 3.0: allowed are -70 to 0 LUFS"),
        ({"loudness_lufs": float("nan")}, "--loudness nan: allowed are -70 to 0 LUFS"),
    ],
)
def test_what_there_is_not_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        ClipOptions(**options)


def test_exact_becomes_headroom_where_packets_cannot_be_copied():
    options = ClipOptions(codec="source", policy="exact")
    assert (options.policy_for("opus"), options.policy_for("flac")) == ("exact", "headroom")
