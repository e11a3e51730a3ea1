"""A tiny shared task for tests: one language pair, three systems and ten segments."""

from __future__ import annotations

from click.testing import CliRunner, Result

from meteor_e.cli.program import cli

REFERENCE = [
    "the ferry leaves the island at noon",
    "a heavy rain fell on the old harbour",
    "the baker sold all of her bread before nine",
    "nobody knew who had painted the blue door",
    "two goats climbed the wall behind the mill",
    "the train was late because of the snow",
    "our teacher lost his keys in the garden",
    "children were flying kites on the beach",
    "the mayor opened a small library",
    "they planted apple trees along the road",
]
OUTPUTS = {
    "alpha": [
        "the ferry leaves the island at noon",
        "heavy rain fell on the old harbour",
        "the baker sold all her bread before nine",
        "nobody knew who had painted the blue door",
        "two goats climbed the wall behind the mill",
        "the train was late because of the snow",
        "our teacher has lost his keys in the garden",
        "children were flying kites at the beach",
        "the mayor opened a little library",
        "they planted apple trees along the road",
    ],
    "beta": [
        "the ferry leaves island at noon",
        "a heavy rain at the old harbour fell",
        "the baker has all bread sold before nine",
        "nobody knew who painted the blue door",
        "two goats behind the mill climbed the wall",
        "the train was because of the snow late",
        "our teacher lost in the garden his keys",
        "children flew kites on the beach",
        "the mayor a small library opened",
        "along the road they planted apple trees",
    ],
    "gamma.x": [
        "ferry go island",
        "rain is heavy",
        "bread is gone at nine",
        "door blue paint unknown",
        "goat on wall",
        "the train was late because of the snow",
        "teacher key",
        "kite fly sea",
        "library small is open",
        "tree apple road",
    ],
}
HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,"
    "system3Number,system3Id,system4Number,system4Id,system5Number,system5Id,"
    "system1rank,system2rank,system3rank,system4rank,system5rank"
)


def ranking_row(segment: int, ranks: dict[str, int], *, source: str = "Czech") -> str:
    """Return a row of a ranking file, in which the systems of ``ranks`` are ranked."""
    systems = [*ranks.items(), *[("", -1)] * (5 - len(ranks))]
    names = ",".join(f"{number},{name}" for number, (name, _) in enumerate(systems, 1))
    return f"{source},English,{segment},doc,{segment},judge,{names},{','.join(str(rank) for _, rank in systems)}"


INDEX = """\
name: Tiny
pairs: [cs-en]
references: ref.{target}
outputs: outputs/tiny.{pair}.{system}
judgments:
  - {file: ranks.csv, format: ranking-csv, drop: [_ref], rename: {gamma: gamma.x}}
measures: [tau-strict]
"""


def run(*arguments: object) -> Result:
    """Run the command line in this process; raise the exception if the command fails."""
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    if result.exception is not None:
        raise result.exception
    return result
