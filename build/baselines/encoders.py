"""Models that turn sound into vectors: CLAP, any audio encoder of transformers, or MuQ from its own package.

`KIND:NAME` says which: `clap:laion/larger_clap_music`, `transformers:facebook/wav2vec2-base`,
`muq:OpenMuQ/MuQ-large-msd-iter`. A name is that of a folder, or of a repository on the Hub. No code of others is run
from there, only weights are read.
"""

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from transformers import AutoFeatureExtractor, AutoModel

from build.analysis.correlation import Floats
from build.baselines.clap.model import UNLOADABLE, embed_windows, load_clap
from build.baselines.device import usable_device
from build.baselines.sounds import Samples
from build.errors import InputError
from build.files import sha256_of

WINDOW_S = 10.0  # of models without a window of their own


class Encoder(Protocol):
    """A frozen model: windows of at most `window` samples of mono sound at `rate_hz` -> vectors."""

    @property
    def rate_hz(self) -> int:
        """Sampling rate of the sound that it takes."""

    @property
    def window(self) -> int:
        """Longest sound that it takes, in samples."""

    def encode(self, windows: Sequence[Samples], /) -> Floats:
        """Shape (windows, dimensions)."""


class _Clap(NamedTuple):
    rate_hz: int
    window: int
    encode: Callable[[Sequence[Samples]], Floats]


class _Transformers:
    """The mean over time of the last hidden states; of a model with a decoder, its encoder alone."""

    def __init__(self, name: str, device: str) -> None:
        self.extractor = AutoFeatureExtractor.from_pretrained(name)
        if not hasattr(self.extractor, "sampling_rate"):
            raise ValueError("it does not take sound")
        model = AutoModel.from_pretrained(name)
        if hasattr(model, "get_text_features"):
            raise ValueError("it is a model of sound and text; of these only CLAP can be used, as clap:NAME")
        self.model = (model.get_encoder() if model.config.is_encoder_decoder else model).to(device).eval()
        self.device = device
        self.rate_hz = int(self.extractor.sampling_rate)
        self.window = int(getattr(self.extractor, "n_samples", WINDOW_S * self.rate_hz))  # Whisper pads to its own

    @torch.inference_mode()
    def encode(self, windows: Sequence[Samples]) -> Floats:
        return np.stack([self._vector(window) for window in windows])

    def _vector(self, window: Samples) -> Floats:
        inputs = self.extractor(window, sampling_rate=self.rate_hz, return_tensors="pt")
        features = inputs[self.extractor.model_input_names[0]].to(self.device)
        return self.model(features).last_hidden_state[0].mean(dim=0).double().cpu().numpy()


class _Muq:
    """MuQ (Zhu et al. 2025), by the package `muq`: the mean over time of its last hidden states."""

    rate_hz = 24_000
    window = int(WINDOW_S * rate_hz)

    def __init__(self, name: str, device: str) -> None:
        self.model = _package("muq").MuQ.from_pretrained(name).to(device).eval()
        self.device = device

    @torch.inference_mode()
    def encode(self, windows: Sequence[Samples]) -> Floats:
        return np.stack([self._vector(window) for window in windows])

    def _vector(self, window: Samples) -> Floats:
        hidden = self.model(torch.from_numpy(window[None]).to(self.device)).last_hidden_state
        return hidden[0].mean(dim=0).double().cpu().numpy()


def _clap(name: str, device: str) -> Encoder:
    clap = load_clap(name, device)
    return _Clap(clap.rate_hz, clap.window, lambda windows: embed_windows(clap, windows))


KINDS: dict[str, Callable[[str, str], Encoder]] = {"clap": _clap, "transformers": _Transformers, "muq": _Muq}


def load_encoder(spec: str, device: str) -> Encoder:
    """The encoder that `KIND:NAME` means; InputError for an unknown kind, or weights that cannot be loaded."""
    kind, _, name = spec.partition(":")
    if kind not in KINDS or not name:
        raise InputError(f"--encoder {spec}: wanted KIND:NAME with a kind of {', '.join(KINDS)}")
    usable_device(device)
    try:
        return KINDS[kind](name, device)
    except UNLOADABLE as error:
        raise InputError(f"--encoder {spec}: cannot be loaded: {error}") from error


def weights_of(spec: str) -> str:
    """What an encoder's vectors depend on: the content of its folder, or its name where it comes from the Hub."""
    folder = Path(spec.partition(":")[2])
    if not folder.is_dir():
        return spec
    files = sorted(path for path in folder.iterdir() if path.suffix in (".safetensors", ".bin", ".json"))
    return " ".join(f"{path.name}={sha256_of(path)[:16]}" for path in files)


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(f"the package {name!r} is needed for this encoder: pip install {name}") from error
