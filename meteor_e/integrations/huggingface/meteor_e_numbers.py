"""A variant of :mod:`meteor_e_metric` that returns only numbers. Callers can therefore average the results."""

from __future__ import annotations

from typing import Any

import meteor_e.integrations.huggingface.meteor_e_metric as metric_module


class MeteorENumbers(metric_module.MeteorE):
    """Compute METEOR as a metric of Hugging Face ``evaluate``, without segment scores and signature."""

    def _compute(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return the results that are numbers."""
        result = super()._compute(*args, **kwargs)
        return {name: value for name, value in result.items() if isinstance(value, float)}
