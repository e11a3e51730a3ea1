from meteor_e.render.alignments import alignment_lines as alignment_lines
from meteor_e.api.tables import SystemInput as SystemInput
from meteor_e.cli.grouped_help import (
    FullHelpGroup as FullHelpGroup,
    GroupedCommand as GroupedCommand,
    OptionGroup as OptionGroup,
)
from meteor_e.cli.inputs import (
    lined_up as lined_up,
    named as named,
    systems as systems,
)
from meteor_e.cli.options import (
    METRIC_GROUPS as METRIC_GROUPS,
    MeteorMaker as MeteorMaker,
    input_options as input_options,
    metric_options as metric_options,
    replaced_option as replaced_option,
)
from meteor_e.cli.output import destination as destination
from meteor_e.cli.program import cli as cli, main as main
from meteor_e.render.plain import (
    count_or_no as count_or_no,
    display_width as display_width,
    format_table as format_table,
    isolated as isolated,
    printable as printable,
)
