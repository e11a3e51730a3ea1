"""The PyTorch device on which a network runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.api import ConfigError

if TYPE_CHECKING:
    import torch


def choose_device(name: str) -> torch.device:
    """Return the PyTorch device with the given name. The name ``auto`` selects a GPU if one is available.

    Raises:
        ConfigError: if the device cannot be used.
    """
    import torch

    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)  # Fails if the device cannot be used.
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(f"device {name!r} cannot be used: {reason}") from error
    return device
