import pytest

from build.fetch.formats import original_audio, refusal
from build.fetch.options import FetchOptions
from build.fetch.taxonomy import RefusedError


def audio(format_id: str, language: int | None = None, **more) -> dict:
    return {"format_id": format_id, "acodec": "opus", "vcodec": "none", "language_preference": language, **more}


def muxed(format_id: str, language: int | None = None) -> dict:
    return {"format_id": format_id, "acodec": "aac", "vcodec": "avc1", "language_preference": language}


def chosen(*formats: dict) -> list[str]:
    """Formats as yt-dlp sorts them: the best last."""
    return [one["format_id"] for one in original_audio({"formats": formats})]


def test_the_best_audio_is_taken():
    assert chosen(audio("139"), audio("140"), muxed("18"), audio("251"), muxed("22")) == ["251"]


def test_loudness_compressed_copies_are_never_taken():
    assert chosen(audio("140"), audio("251-drc")) == ["140"]


def test_the_original_track_is_taken_and_not_a_dubbed_or_the_default_one():
    assert chosen(audio("251-0", 10), audio("251-1", -1), audio("251-2", 5)) == ["251-0"]


def test_the_default_track_is_taken_where_none_is_marked_as_original():
    assert chosen(audio("251-0", 5), audio("251-1", -1)) == ["251-0"]


def test_an_only_track_without_a_mark_is_the_original():
    assert chosen(audio("140", -1), audio("251", -1)) == ["251"]


def test_the_original_with_pictures_is_better_than_a_dubbed_one_without():
    assert chosen(muxed("18", 10), audio("251-1", -1)) == ["18"]


def test_sound_with_pictures_is_taken_where_there_is_no_other():
    assert chosen({"format_id": "sb0", "ext": "mhtml"}, {"format_id": "137", "acodec": "none"}, muxed("18")) == ["18"]


@pytest.mark.parametrize("formats", [[audio("251-drc")], [audio("251-desc", -10)]])
def test_altered_sound_alone_is_refused(formats):
    with pytest.raises(RefusedError, match="only dubbed, described or loudness-compressed sound: 251") as error:
        chosen(*formats)
    assert error.value.status == "altered"


def test_without_any_sound_nothing_is_chosen():
    assert chosen({"format_id": "137", "acodec": "none"}) == []


@pytest.mark.parametrize(
    ("info", "status"),
    [
        ({"is_live": True}, "live"),
        ({"live_status": "post_live"}, "live"),
        ({"live_status": "is_upcoming"}, "upcoming"),
        ({"duration": 14.9}, "too_short"),
        ({"duration": 3601}, "too_long"),
    ],
)
def test_what_is_no_song_is_refused_before_it_is_fetched(info, status):
    refused = refusal(info, FetchOptions())
    assert refused is not None
    assert refused.status == status


@pytest.mark.parametrize(
    "info", [{}, {"duration": 15.0}, {"duration": 3600}, {"live_status": "was_live", "duration": 200}]
)
def test_a_song_is_not_refused(info):
    assert refusal(info, FetchOptions()) is None
