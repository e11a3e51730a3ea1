"""The module of :mod:`meteor_e_metric` whose result has numbers only, which callers can average."""

from __future__ import annotations

from typing import Any

import meteor_e.integrations.huggingface.meteor_e_metric as whole


class MeteorENumbers(whole.MeteorE):
    """METEOR as an ``evaluate`` metric, without the segments' list and the signature."""

    def _compute(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        result = super()._compute(*args, **kwargs)
        return {name: value for name, value in result.items() if isinstance(value, float)}
