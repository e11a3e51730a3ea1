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
from meteor_e.base.texts import check_items as check_items
from meteor_e.base.validation import find_problems as find_problems
from meteor_e.base.yamlfile import (
    Document as Document,
    Problem as Problem,
    dump_yaml as dump_yaml,
    is_folder as is_folder,
    is_path as is_path,
    parse_yaml as parse_yaml,
    plain_value as plain_value,
    raise_problems as raise_problems,
    read_yaml as read_yaml,
)
