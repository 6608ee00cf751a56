import pytest
from hypothesis import given
from hypothesis import strategies as st

from build.charts.recording import artist_key, title_key


@pytest.mark.parametrize(
    "title",
    [
        "Tú",
        "TÚ (En Vivo)",
        "Tu\u0301 [Official Video]",
        "Tú (Video Oficial) (feat. Otro)",
        "Tú feat. Otro",
        "Tú （ＭＶ）",
        "Tú (From (The Film))",
        "tú ft. Otro & Otra (Live)",
        "Tú (feat. Otro",
        "Tú 【MV】",
        "  Tú  {LETRA} Featuring Otro",
    ],
)
def test_titles_of_one_song(title):
    assert title_key(title) == "tú"


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("(Untitled)", "(untitled)"),
        ("[ ]", "[ ]"),
        ("feat. X", "feat. x"),
        ("Featherweight", "featherweight"),
        ("Soft Left", "soft left"),
        ("1:) smile", "1:) smile"),
        ("(I Can't Get No) Satisfaction", "satisfaction"),
        ("Straße", "strasse"),
    ],
)
def test_titles_keep_what_names_the_song(title, key):
    assert title_key(title) == key


def test_artists_are_a_set_in_whatever_order_and_spelling():
    spellings = [
        "Los Elegantes de Jerez & Grupo Firme",
        "Grupo Firme, Los  Elegantes de Jerez",
        "GRUPO FIRME feat. los elegantes DE jerez",
    ]
    spellings += ["Grupo Firme & -- & Los Elegantes de Jerez & Grupo Firme", " Grupo Firme ,Los Elegantes de Jerez,n/a"]
    assert {artist_key(artists) for artists in spellings} == {"grupo firme & los elegantes de jerez"}


def test_a_chart_that_names_no_artist_gives_the_empty_set():
    assert {artist_key(artists) for artists in ("--", "", "&  &  &", "--, -- & --", "n/a")} == {""}


def test_other_artists_are_another_key():
    assert artist_key("Shakira & Rauw Alejandro") != artist_key("Gerardo Coronel")
    assert artist_key("Lift Ft Craft") == "craft & lift"
    assert artist_key("Daft Punk") == "daft punk"


@given(st.text(max_size=30))
def test_keys_are_stable_and_never_fail(text):
    assert artist_key(artist_key(text)) == artist_key(text)
    assert title_key(text) == title_key(text.strip())
