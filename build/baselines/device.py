"""Where models run."""

import torch

from build.errors import InputError


def usable_device(name: str) -> torch.device:
    """The device that `name` means (cpu, cuda, cuda:1, mps); InputError where this machine has none of that name."""
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:  # torch asserts that it was built with CUDA
        reason = str(error).partition("\n")[0]
        raise InputError(f"--device {name}: cannot be used here ({reason}); cpu always can") from error
    return device
