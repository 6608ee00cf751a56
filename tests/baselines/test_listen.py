"""Language models that listen: from the command to predictions, by the official clients, against a service here."""

import base64
import hashlib
import io
import re

import numpy as np
import pyarrow.parquet as pq
import pytest
import soundfile

from build.baselines.material import read_material
from build.errors import InputError, RunError
from build.scoring import score
from tests.baselines.made import tracks_with_sound
from tests.baselines.service import CHAT, GEMINI, Said, chat, gemini, serving, sounds, texts

SAY = {CHAT: chat, GEMINI: gemini}
QUESTIONS = {
    "english": "Rate from a scale of 1 to 5 how well this song expresses or conveys the emotion",
    "french": "Évaluez sur une échelle de 1 à 5",
    "spanish": "Califica en una escala del 1 al 5",
    "korean": "1점에서 5점까지의 척도로 평가해 주세요",
    "arabic": "قيّم على مقياس من 1 إلى 5",
}


@pytest.fixture
def listen(command, songs, tmp_path, monkeypatch):
    """Ask the model `m` of a service about songs, one song if not told otherwise; return what is said."""
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setenv("GEMINI_API_KEY", "key")

    def run(service, *options: object, provider: str = CHAT, data=songs, limit: int = 1) -> str:
        where = ("--data", data, "--out", tmp_path / "p.parquet", "--limit", limit)
        base = ("--base-url", service.url + ("/v1" if provider == CHAT else ""))
        return command("baseline", "listen", "--provider", provider, "--model", "m", *where, *base, *options)

    return run


@pytest.fixture
def predicted(tmp_path):
    def read() -> dict[str, list]:
        return pq.read_table(tmp_path / "p.parquet").to_pydict()

    return read


def rating(asked) -> str:
    """Another for every question: from its words."""
    return f"{1 + int(hashlib.sha256(texts(asked)[0].encode()).hexdigest(), 16) % 5}"


KOREAN = ("--language", "korean")
ONE_AT_A_TIME = ("--workers", 1, "--tries", 1)


@pytest.mark.parametrize("provider", [CHAT, GEMINI])
def test_a_song_is_rated_on_every_term_in_the_raters_languages(provider, songs, listen, predicted, tmp_path):
    with serving(lambda asked, _: SAY[provider](rating(asked))) as service:
        said = listen(service, provider=provider)
    assert "ok 100; tokens: 10000 in questions, 200 in answers" in said
    material, row = read_material(songs), predicted()
    told = {text: rating(asked) for asked in service.asked for text in texts(asked)[:1]}
    for target in material.targets:
        (text,) = [text for text in told if QUESTIONS[target.group] in text and _names(text, target.label)]
        assert row[f"{target.group}:{target.key}"] == [float(told[text])]
    result = score(tmp_path / "p.parquet", "globalmood:all", songs, n_draws=100)
    assert {note["kind"] for note in result["notes"]} <= {"missing_songs", "constant"}


def _names(text: str, term: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text) is not None


def test_the_sound_that_is_sent_is_the_excerpt_of_the_sample(part_of_sample, listen, predicted):
    with serving(lambda asked, _: chat("3")) as service:
        listen(service, *KOREAN, data=part_of_sample)
    assert len(service.asked) == 20
    (sent,) = sounds(service.asked[0])
    sound, rate_hz = soundfile.read(io.BytesIO(base64.b64decode(sent)), always_2d=True)
    (song_id,) = predicted()["song_id"]
    files = part_of_sample.glob("data/test-*.parquet")
    rows = [row for path in files for row in pq.ParquetFile(path).read(columns=["song_id", "audio"]).to_pylist()]
    (audio,) = [row["audio"]["bytes"] for row in rows if row["song_id"] == song_id]
    wanted, _ = soundfile.read(io.BytesIO(audio), always_2d=True)
    assert rate_hz == 48_000
    assert np.abs(sound - wanted).max() < 2**-14


def test_a_second_run_asks_nothing_again_and_writes_the_same(listen, tmp_path):
    with serving(lambda asked, _: chat(rating(asked))) as service:
        listen(service, *KOREAN)
        first = (tmp_path / "p.parquet").read_bytes()
        said = listen(service, *KOREAN)
    assert len(service.asked) == 20
    assert "already answered 20, ok 20; tokens: 0 in questions, 0 in answers" in said
    assert (tmp_path / "p.parquet").read_bytes() == first


@pytest.mark.parametrize("provider", [CHAT, GEMINI])
def test_an_unreadable_answer_is_asked_for_again_with_a_reminder(provider, listen, predicted):
    def answer(asked, _):
        reminded = len(texts(asked)) == 3
        return SAY[provider]("4" if reminded else "I would say 4 out of 5.")

    with serving(answer) as service:
        said = listen(service, *KOREAN, provider=provider)
    assert "ok 20; tokens: 4000 in questions, 80 in answers" in said
    assert texts(service.asked[1])[1] == texts(service.asked[1])[2]
    assert {value for name, (value,) in predicted().items() if name.startswith("korean:")} == {4.0}


def test_answers_that_stay_unreadable_are_counted_and_no_prediction(songs, listen, predicted, tmp_path):
    with serving(lambda *_: chat("NaN")) as service:
        said = listen(service, *KOREAN)
        assert "unreadable 20;" in said
        assert len(service.asked) == 60
        listen(service, *KOREAN)
        assert len(service.asked) == 60
    assert all(np.isnan(value) for name, (value,) in predicted().items() if name.startswith("korean:"))
    kinds = {note["kind"] for note in score(tmp_path / "p.parquet", "globalmood:korean", songs, n_draws=100)["notes"]}
    assert "missing_songs" in kinds


@pytest.mark.parametrize(
    ("provider", "said"),
    [
        (CHAT, chat(None, refusal="I cannot rate music.")),
        (CHAT, Said({"choices": [{"finish_reason": "content_filter", "message": {"role": "assistant"}}]})),
        (GEMINI, gemini("", "SAFETY")),
        (GEMINI, Said({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})),
    ],
    ids=["refusal", "filter", "safety", "blocked"],
)
def test_refusals_are_counted_and_not_asked_again(provider, said, listen):
    with serving(lambda *_: said) as service:
        assert "refused 20;" in listen(service, *KOREAN, provider=provider)
        assert "already answered 20, refused 20;" in listen(service, *KOREAN, provider=provider)
    assert len(service.asked) == 20


@pytest.mark.parametrize("provider", [CHAT, GEMINI])
def test_a_busy_service_is_tried_again_by_its_client(provider, listen):
    busy = Said({"error": {"message": "too many", "code": 429, "status": "RESOURCE_EXHAUSTED"}}, 429)
    with serving(lambda _, number: busy if number == 0 else SAY[provider]("2")) as service:
        assert "ok 20;" in listen(service, *KOREAN, "--tries", 2, "--workers", 1, provider=provider)
    assert len(service.asked) == 21


@pytest.mark.parametrize("provider", [CHAT, GEMINI])
def test_an_answer_that_comes_too_late_is_asked_for_by_the_next_run(provider, listen, predicted):
    with serving(lambda _, number: SAY[provider]("2")._replace(late=number == 3)) as service:
        with pytest.raises(RunError, match="1 questions got no reply; run the same command again, answers so far are"):
            listen(service, *KOREAN, *ONE_AT_A_TIME, "--timeout", 2, provider=provider)
        assert len(service.asked) == 20
        listen(service, *KOREAN, *ONE_AT_A_TIME, provider=provider)
        assert len(service.asked) == 21
    assert {value for name, (value,) in predicted().items() if name.startswith("korean:")} == {2.0}


@pytest.mark.parametrize("provider", [CHAT, GEMINI])
@pytest.mark.parametrize("body", [b"<html>", b'{"choices": [', {}, {"choices": None}, [1], {"candidates": []}], ids=str)
def test_what_is_no_answer_at_all_ends_the_run_after_five(provider, body, listen):
    silent = pytest.raises(RunError, match="no reply to 5 questions in a row, the last about m0")
    with serving(lambda *_: Said(body)) as service, silent:
        listen(service, *KOREAN, *ONE_AT_A_TIME, provider=provider)
    assert len(service.asked) == 5


@pytest.mark.parametrize("provider", [CHAT, GEMINI])
def test_an_endpoint_that_is_not_there_is_given_up_soon(provider, listen):
    with serving(lambda *_: chat("1")) as gone:
        pass
    with pytest.raises(RunError, match=r"no reply to 5 questions in a row.*; look at --base-url and --timeout, or run"):
        listen(gone, *KOREAN, *ONE_AT_A_TIME, provider=provider)


@pytest.mark.parametrize("provider", [CHAT, GEMINI])
def test_a_key_that_is_refused_ends_the_run_at_once(provider, listen):
    denied = Said({"error": {"message": "no such key", "code": 401}}, 401)
    refused = pytest.raises(RunError, match=r"refuses to be asked \(401\): .*; check key, model and base URL")
    with serving(lambda *_: denied) as service, refused:
        listen(service, *KOREAN, *ONE_AT_A_TIME, provider=provider)
    assert len(service.asked) == 1


@pytest.mark.parametrize("provider", [CHAT, GEMINI])
def test_a_missing_key_is_said(provider, listen, monkeypatch):
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name)
    with serving(lambda *_: chat("1")) as service, pytest.raises(InputError, match=f"--provider {provider}: .*[kK]ey"):
        listen(service, *KOREAN, provider=provider)


def test_an_unknown_provider_is_refused(listen):
    with serving(lambda *_: chat("1")) as service, pytest.raises(InputError, match="radio: there are chat, gemini"):
        listen(service, *KOREAN, "--provider", "radio")


def test_few_shot_hears_a_rated_training_song_first(songs, listen):
    with serving(lambda *_: chat("1")) as service:
        listen(service, *KOREAN, "--few-shot")
    material = read_material(songs, ["korean"])
    for asked in service.asked:
        example, question, _ = texts(asked)
        assert "청취자들은 첫 번째 녹음의 노래에" in example
        assert QUESTIONS["korean"] in question
        first, second = sounds(asked)
        assert first != second
    told = texts(service.asked[0])[0].split(": ")[2].partition(". ")[0]
    rated = dict(pair.rsplit(" ", 1) for pair in told.split(", "))
    assert len(rated) == 10
    labels = [target.label for target in material.targets]
    means = [float(rated[label]) for label in labels if label in rated]
    columns = [index for index, label in enumerate(labels) if label in rated]
    alike = np.isclose(material.rated[:, columns], means, atol=0.051).all(axis=1)
    assert material.split[alike].tolist() == ["train"]


@pytest.mark.parametrize(
    ("inputs", "heard", "told"),
    [
        ("audio", 1, []),
        ("audio,comments", 1, ["People who heard it wrote: \n- a melody that stays with me"]),
        (
            "audio,comments,tags",
            1,
            ["People who heard it wrote: \n- a melody", "It is tagged as: genre: pop, dj"],
        ),
        ("comments", 0, ["People who heard it wrote: \n- a melody"]),
    ],
)
def test_tracks_are_asked_about_by_sound_comments_and_tags(inputs, heard, told, tracks, listen, predicted, tmp_path):
    with serving(lambda asked, _: chat(rating(asked))) as service:
        said = listen(service, "--inputs", inputs, data=tracks, limit=2)
    assert "ok 22;" in said
    for asked in service.asked:
        assert len(sounds(asked)) == heard
        *context, question, _ = texts(asked)
        assert len(context) == len(told)
        assert all(text.startswith(start) for text, start in zip(context, told, strict=True))
        assert question.startswith("Judge the aesthetics of this music. Rate on a scale of 1 to 5 its ")
    assert predicted()["song_id"] == ["4", "8"]
    score(tmp_path / "p.parquet", "madb", tracks, n_draws=100)


def test_other_inputs_are_refused(tracks, listen):
    with serving(lambda *_: chat("1")) as service, pytest.raises(InputError, match="--inputs lyrics: wanted some of"):
        listen(service, "--inputs", "lyrics", data=tracks)


def test_options_of_the_other_dataset_are_refused(songs, tracks, listen):
    with serving(lambda *_: chat("1")) as service:
        with pytest.raises(InputError, match="holds MADB, which is asked about without --few-shot and --language"):
            listen(service, "--few-shot", data=tracks)
        with pytest.raises(InputError, match=r"--inputs comments: .* holds GlobalMood, whose songs have audio alone"):
            listen(service, "--inputs", "comments", data=songs)
    assert not service.asked


def test_what_to_score_is_the_language_that_was_asked_in(listen):
    with serving(lambda *_: chat("1")) as service:
        assert "--task globalmood:korean --data" in listen(service, *KOREAN)


def test_nothing_to_ask_about_is_said(listen, tmp_path):
    folder = tracks_with_sound(tmp_path, n_tracks=4)  # the only validation track is the one without sound
    with serving(lambda *_: chat("1")) as service, pytest.raises(InputError, match="what is asked about; add audio"):
        listen(service, data=folder)
