"""Which options of ``meteor-e score`` go together: one table."""

from __future__ import annotations

from collections.abc import Collection

from meteor_e.base.errors import ConfigError

_PLAIN = "it writes scores and nothing else"
_TABLE = "a table of segments has METEOR's scores of all segments, and nothing else"
_NO_ROOM = (
    "that format has no room for it; segments go into text, json, tsv, csv and wmt, alignments into text and json"
)

REFUSED = {
    ("--quiet", "--format"): _PLAIN,
    ("--quiet", "--significance"): _PLAIN,
    ("--quiet", "--segments"): _PLAIN,
    ("--quiet", "--alignments"): _PLAIN,
    ("--quiet", "--explain"): _PLAIN,
    ("--dask", "--on-error"): "the warnings of other processes would be lost",
    ("-o TABLE", "--explain"): _TABLE,
    ("-o TABLE", "--on-error"): _TABLE,
    ("-o TABLE", "-M"): _TABLE,
    ("--segments", "--format without segments"): _NO_ROOM,
    ("--alignments", "--format without alignments"): _NO_ROOM,
    ("--explain", "--format for programs"): "the explanation is text; write it with --format text, markdown or json",
    ("--wmt-names", "another --format"): "they are names for --format wmt",
}
"""Pairs of options that exclude each other, and why. What is not here is allowed.

``-o TABLE`` is an output of segments, such as FILE.parquet; ``-M`` any metric but METEOR.
"""


def check_combination(active: Collection[str]) -> None:
    """Refuse options that do not go together.

    Args:
        active: names of the options that were given, as :data:`REFUSED` has them.

    Raises:
        ConfigError: for the first such pair.
    """
    for (one, other), reason in REFUSED.items():
        if one in active and other in active:
            raise ConfigError(f"{one} does not go with {other}: {reason}")
