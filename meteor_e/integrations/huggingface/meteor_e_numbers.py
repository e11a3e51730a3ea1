"""A variant of :mod:`meteor_e_metric` whose result contains only numbers, so that callers can average it."""

from __future__ import annotations

from typing import Any

import meteor_e.integrations.huggingface.meteor_e_metric as metric_module


class MeteorENumbers(metric_module.MeteorE):
    """METEOR as an ``evaluate`` metric, without the list of segment scores and the signature."""

    def _compute(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        result = super()._compute(*args, **kwargs)
        return {name: value for name, value in result.items() if isinstance(value, float)}
