from meteor_e.formats.documents import Role as Role
from meteor_e.formats.inputs import open_input as open_input
from meteor_e.formats.metric_task import metric_task_lines as metric_task_lines, score_text as score_text
from meteor_e.formats.plain import csv_rows as csv_rows, decode_lines as decode_lines, read_segments as read_segments
from meteor_e.formats.tables import (
    DATASET_DICTIONARY as DATASET_DICTIONARY,
    JSON_LINES as JSON_LINES,
    PARQUET as PARQUET,
    parquet_files as parquet_files,
)
from meteor_e.formats.test_sets import NamedSet as NamedSet, named_set as named_set, target_language as target_language
