from meteor_e.metrics.alignment_arrays import aligned as aligned
from meteor_e.metrics.chain_metric import ChainMetric as ChainMetric, chain_statistics as chain_statistics
from meteor_e.metrics.specs import parse_metric as parse_metric, parse_metrics as parse_metrics
from meteor_e.metrics.system_table import (
    SystemTable as SystemTable,
    SystemTexts as SystemTexts,
    metric_score as metric_score,
    render_systems as render_systems,
    score_table as score_table,
)
