"""CLAP with what it needs to read sound and text (transformers), loaded by name or from a folder.

Reference: Wu et al. (2023), Large-scale contrastive language-audio pretraining, ICASSP.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from transformers import AutoConfig, AutoFeatureExtractor, AutoTokenizer, ClapModel

from build.analysis.correlation import Floats
from build.baselines.clap import WEIGHTS
from build.baselines.device import usable_device
from build.baselines.sounds import Samples
from build.errors import InputError

BATCH = 16  # texts, or windows of sound, that go through the model at once
UNLOADABLE = (OSError, ValueError, RuntimeError, KeyError, SafetensorError)  # what transformers raises at bad weights


@dataclass(frozen=True)
class Clap:
    """A model on its device; `rate_hz` and `window` (samples) are of the sound that it takes, `max_tokens` of text."""

    model: Any
    tokenizer: Any
    extractor: Any
    device: torch.device

    @property
    def rate_hz(self) -> int:
        """Sampling rate of the sound that the model takes."""
        return int(self.extractor.sampling_rate)

    @property
    def window(self) -> int:
        """Longest sound that the model takes at once, in samples."""
        return int(self.extractor.nb_max_samples)

    @property
    def max_tokens(self) -> int:
        """Longest text that the model takes, with its two marks of beginning and end."""
        config = self.model.config.text_config
        return int(min(self.tokenizer.model_max_length, config.max_position_embeddings - config.pad_token_id - 1))

    def text_inputs(self, texts: Sequence[str]) -> tuple[dict[str, torch.Tensor], int]:
        """What the model takes for texts, and how many were cut off because they are too long for it."""
        lengths = [len(ids) for ids in self.tokenizer(list(texts))["input_ids"]]
        inputs = self.tokenizer(
            list(texts), padding=True, truncation=True, max_length=self.max_tokens, return_tensors="pt"
        )
        inputs = {name: inputs[name].to(self.device) for name in ("input_ids", "attention_mask")}
        return inputs, sum(length > self.max_tokens for length in lengths)

    def sound_vectors(self, heard: torch.Tensor) -> torch.Tensor:
        """Unit vectors (windows, dimensions) of what `spectra` makes of windows of sound."""
        is_longer = torch.zeros((len(heard), 1), dtype=torch.bool, device=self.device)
        return self.model.get_audio_features(input_features=heard.to(self.device), is_longer=is_longer).pooler_output

    def text_vectors(self, texts: Sequence[str]) -> torch.Tensor:
        """Unit vectors (texts, dimensions) of texts."""
        return self.model.get_text_features(**self.text_inputs(texts)[0]).pooler_output


def spectra(extractor: Any, windows: Sequence[Samples]) -> torch.Tensor:
    """What CLAP takes for windows of sound that are no longer than its own; no chance is involved.

    Shape (windows, channels, frames, bands), in the memory of the CPU.
    """
    samples = [np.asarray(window, np.float64) for window in windows]
    inputs = extractor(samples, sampling_rate=extractor.sampling_rate, return_tensors="pt")
    return inputs["input_features"].to(torch.float32)


def load_clap(name: str, device: str) -> Clap:
    """CLAP from a folder, or from the Hub by its name.

    Raises InputError where there is none, another model, or one without some of its weights, which transformers would
    make up by chance.
    """
    where = usable_device(device)
    try:
        kind = AutoConfig.from_pretrained(name).model_type
        if kind != ClapModel.config_class.model_type:
            raise ValueError(f"its weights are of a model of the kind {kind!r}")
        model, told = ClapModel.from_pretrained(name, output_loading_info=True)
        missing = sorted(set(told["missing_keys"]) & {key for key, _ in model.named_parameters()})
        if missing:
            raise ValueError(f"{len(missing)} of its weights are missing, {missing[0]} among them")
        tokenizer, extractor = AutoTokenizer.from_pretrained(name), AutoFeatureExtractor.from_pretrained(name)
    except UNLOADABLE as error:
        raise InputError(
            f"--model {name}: cannot be loaded as CLAP (a folder with weights, or a name on the Hub such as "
            f"{WEIGHTS}): {error}"
        ) from error
    return Clap(model.to(where).eval(), tokenizer, extractor, where)


def save_clap(clap: Clap, folder: Path) -> None:
    """Write the model and what it needs to read sound and text, so that `load_clap` finds them."""
    for part in (clap.model, clap.tokenizer, clap.extractor):
        part.save_pretrained(folder)


@torch.inference_mode()
def embed_texts(clap: Clap, texts: Sequence[str]) -> Floats:
    """Unit vectors (texts, dimensions); InputError for a text that is too long for the model."""
    too_long = clap.text_inputs(texts)[1]
    if too_long:
        raise InputError(f"{too_long} of {len(texts)} terms have more than the {clap.max_tokens} tokens of the model")
    vectors = [clap.text_vectors(batch).double().cpu().numpy() for batch in _batches(texts)]
    return np.concatenate(vectors)


@torch.inference_mode()
def embed_windows(clap: Clap, windows: Sequence[Samples]) -> Floats:
    """Unit vectors (windows, dimensions)."""
    heard = (spectra(clap.extractor, batch) for batch in _batches(windows))
    return np.concatenate([clap.sound_vectors(batch).double().cpu().numpy() for batch in heard])


def song_vector(window_vectors: Floats) -> Floats:
    """A song's unit vector: the mean of those of its windows, scaled to length 1."""
    mean = window_vectors.mean(axis=0)
    return mean / max(float(np.linalg.norm(mean)), np.finfo(float).tiny)


def _batches(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (items[start : start + BATCH] for start in range(0, len(items), BATCH))
