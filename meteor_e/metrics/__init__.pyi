from meteor_e.api.running import checked_statistics as checked_statistics
from meteor_e.metrics.alignment_arrays import aligned as aligned
from meteor_e.metrics.chain_metric import ChainMetric as ChainMetric
from meteor_e.metrics.output_statistics import chain_statistics as chain_statistics
from meteor_e.metrics.outputs import (
    metric_score as metric_score,
    pairwise_batches as pairwise_batches,
    score_outputs as score_outputs,
)
from meteor_e.metrics.specs import parse_metric as parse_metric, parse_metrics as parse_metrics
from meteor_e.metrics.system_texts import SystemTexts as SystemTexts
from meteor_e.metrics.table import SystemTable as SystemTable, Significance as Significance, score_table as score_table
