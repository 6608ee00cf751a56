"""CLAP as it comes, on a part of the sample, by a tiny model."""

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from transformers import (
    AutoFeatureExtractor,
    AutoTokenizer,
    BertConfig,
    BertModel,
    ClapModel,
)

from build.baselines.clap.model import embed_texts, load_clap
from build.baselines.sounds import sound_groups, sounds
from build.errors import InputError
from build.scoring import score
from globalmood import terms
from tests.baselines import tiny


def vocabulary(folder, language):
    return terms(language, folder).to_dict("records")


@pytest.fixture
def predicted(part_of_sample, clap_folder, command, tmp_path):
    """Predict by terms of a kind; return the file and its columns."""

    def predict(kind: str):
        out = tmp_path / f"{kind}.parquet"
        where = ("--data", part_of_sample, "--model", clap_folder)
        said = command("baseline", "clap", *where, "--terms", kind, "--out", out)
        assert said.startswith(f"{out}: score it with `python -m build score {out} --task globalmood:all")
        return out, pq.read_table(out).to_pydict()

    return predict


def test_every_test_song_has_a_cosine_with_every_term_that_score_takes(part_of_sample, predicted):
    out, columns = predicted("native")
    assert len(columns["song_id"]) == 6
    assert len(columns) == 1 + 5 * 20
    result = score(out, "globalmood:all", part_of_sample, n_draws=100)
    assert all(np.isfinite(row["primary"]["value"]) for row in result["scores"].values())
    assert not result["notes"]


def test_a_cosine_is_that_of_the_model(part_of_sample, clap_folder, predicted):
    columns = predicted("native")[1]
    model = ClapModel.from_pretrained(clap_folder).eval()
    extractor = AutoFeatureExtractor.from_pretrained(clap_folder)
    song_id = columns["song_id"][2]
    groups = sound_groups(part_of_sample)
    sound = next(sound for group in groups for sound in sounds(group, 48_000) if sound.song_id == song_id).samples
    starts = np.linspace(0, len(sound) - 96_000, 8).round().astype(int)  # 15 s are begun by 8 windows of 2 s
    heard = extractor([sound[n : n + 96_000] for n in starts], sampling_rate=48_000, return_tensors="pt")
    korean = vocabulary(part_of_sample, "korean")[3]
    words = AutoTokenizer.from_pretrained(clap_folder)([korean["term"]], return_tensors="pt")
    with torch.inference_mode():
        vector = model.get_audio_features(input_features=heard["input_features"]).pooler_output.mean(dim=0)
        text = model.get_text_features(**words).pooler_output[0]
    wanted = torch.cosine_similarity(vector, text, dim=0)
    assert columns[f"korean:{korean['term_id']}"][2] == pytest.approx(float(wanted), abs=1e-5)


def test_the_translated_control_asks_in_english(part_of_sample, clap_folder, predicted):
    native, translated = predicted("native")[1], predicted("translated")[1]
    row = next(row for row in vocabulary(part_of_sample, "korean") if row["translation"])
    key = f"korean:{row['term_id']}"
    assert native[key] != translated[key]
    english = {row["term"]: f"english:{row['term_id']}" for row in vocabulary(part_of_sample, "english")}
    shared = [row for row in vocabulary(part_of_sample, "korean") if row["translation"] in english]
    assert shared
    for row in shared:
        assert translated[f"korean:{row['term_id']}"] == pytest.approx(native[english[row["translation"]]], abs=1e-6)


def test_weights_that_are_not_there_are_named(songs, command, tmp_path):
    with pytest.raises(
        InputError, match=r"--model .*none: cannot be loaded as CLAP \(a folder with weights, or a name"
    ):
        command("baseline", "clap", "--data", songs, "--model", tmp_path / "none")


def test_weights_of_another_model_are_refused(clap_folder, tmp_path):
    BertModel(BertConfig(vocab_size=9, hidden_size=8, num_hidden_layers=1, num_attention_heads=1)).save_pretrained(
        tmp_path
    )
    with pytest.raises(InputError, match="its weights are of a model of the kind 'bert'"):
        load_clap(str(tmp_path), "cpu")


def test_weights_without_the_tower_of_sound_are_refused(clap_folder, tmp_path):
    model = ClapModel.from_pretrained(clap_folder)
    kept = {name: value for name, value in model.state_dict().items() if not name.startswith("audio_model")}
    model.save_pretrained(tmp_path, state_dict=kept)
    with pytest.raises(InputError, match=r"weights are missing, audio_model\..* among them"):
        load_clap(str(tmp_path), "cpu")


def test_damaged_weights_are_refused(tmp_path):
    weights = tiny.clap(tmp_path) / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(InputError, match="cannot be loaded as CLAP"):
        load_clap(str(tmp_path), "cpu")


def test_a_device_that_is_not_there_is_named(clap_folder):
    with pytest.raises(InputError, match=r"--device abacus: cannot be used here \(.*\); cpu always can"):
        load_clap(str(clap_folder), "abacus")


def test_a_term_that_is_too_long_is_not_cut_off_silently(clap_folder):
    with pytest.raises(InputError, match="1 of 2 terms have more than the 96 tokens of the model"):
        embed_texts(load_clap(str(clap_folder), "cpu"), ["calm", "long " * 40])


def test_a_kind_of_terms_that_is_not_there_is_refused(songs, command):
    with pytest.raises(InputError, match="--terms latin: wanted native or translated"):
        command("baseline", "clap", "--data", songs, "--terms", "latin")
