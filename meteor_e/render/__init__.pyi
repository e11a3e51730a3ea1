from meteor_e.render.delimited import CsvOutput as CsvOutput, TsvOutput as TsvOutput
from meteor_e.render.documents import JsonOutput as JsonOutput
from meteor_e.render.markup import LatexOutput as LatexOutput, MarkdownOutput as MarkdownOutput
from meteor_e.render.numbers import shown_number as shown_number, shown_p as shown_p
from meteor_e.render.plain import (
    TextOutput as TextOutput,
    count_or_no as count_or_no,
    display_width as display_width,
    format_table as format_table,
    isolated as isolated,
    printable as printable,
)
from meteor_e.render.score_files import WmtOutput as WmtOutput
