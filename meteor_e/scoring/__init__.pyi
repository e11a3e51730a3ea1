from meteor_e.scoring.alignment import chunk_numbers as chunk_numbers
from meteor_e.scoring.arrays import (
    Counts as Counts,
    fmean as fmean,
    fragmentation as fragmentation,
    precision_recall as precision_recall,
    quotient as quotient,
    score_arrays as score_arrays,
)
from meteor_e.scoring.formula import PARTS as PARTS, FormulaScores as FormulaScores, Shares as Shares, shares as shares
from meteor_e.scoring.statistics import (
    StatisticsSum as StatisticsSum,
    as_summed as as_summed,
    statistics_columns as statistics_columns,
    statistics_names as statistics_names,
    statistics_width as statistics_width,
)
