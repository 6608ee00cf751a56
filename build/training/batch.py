"""One batch, and how it goes from a DataLoader's worker to the loop."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

try:
    import torch
except ImportError:
    torch = None

LIGHT_BYTES = 128 * 1024  # up to which the handshake to share a tensor's memory takes longer than a pipe


class Batch(dict[str, Any]):
    """A dict that travels fast, and arrives as a plain one: labels through the pipe, sound in shared memory."""

    def __copy__(self) -> "Batch":
        """Still one that travels fast: DataLoader's `default_convert` begins with a copy."""
        return Batch(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """What its parts are packed into; the queues of PyTorch share the memory of the tensors among them."""
        return _unpacked, ({name: _packed(name, value) for name, value in self.items()},)


class Joined(NamedTuple):
    """Encoded sounds one after the other, a uint8 tensor, and the size of each, None where there is no sound."""

    sounds: Any
    sizes: list[int | None]


def as_tensors(batch: dict[str, Any]) -> Batch:
    """`batch` with its arrays as tensors on the same memory; unchanged without torch."""
    if torch is None:
        return Batch(batch)
    return Batch({n: torch.from_numpy(value) if isinstance(value, np.ndarray) else value for n, value in batch.items()})


def _packed(name: str, value: Any) -> Any:
    if torch is None:
        return value
    if name == "encoded" and isinstance(value, list):
        return _joined(value)
    return value.numpy() if isinstance(value, torch.Tensor) and _is_light(value) else value


def _is_light(tensor: Any) -> bool:
    """Whether it may go by value: small, and as `batches` made it, not on another device or part of a gradient."""
    return tensor.nbytes <= LIGHT_BYTES and tensor.device.type == "cpu" and not tensor.requires_grad


def _unpacked(parts: dict[str, Any]) -> dict[str, Any]:
    parted = {name: _parted(value) if isinstance(value, Joined) else value for name, value in parts.items()}
    return dict(as_tensors(parted))


def _joined(sounds: Sequence[bytes | None]) -> Joined:
    whole = bytearray().join(sound for sound in sounds if sound)
    sizes = [None if sound is None else len(sound) for sound in sounds]
    return Joined(torch.from_numpy(np.frombuffer(whole, np.uint8)), sizes)


def _parted(joined: Joined) -> list[bytes | None]:
    whole, sounds, at = memoryview(joined.sounds.numpy()), [], 0
    for size in joined.sizes:
        sounds.append(None if size is None else bytes(whole[at : at + size]))
        at += size or 0
    return sounds
