"""The commands: train, predict, rank, model. Whatever is heavy is imported when a command runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from meteor_e.base import Progress
from meteor_e.cli import FullHelpGroup, GroupedCommand, OptionGroup, replaced_option

if TYPE_CHECKING:
    from meteor_e_learned.extraction import FeatureStore
    from meteor_e_learned.modelfile import LearnedModel

__all__ = ["model", "predict", "rank", "train"]


_FEATURES = OptionGroup(("cache", "no_cache", "jobs"), "… --jobs 4 --no-cache")
"""The options that say where features are kept and who extracts them."""


def _store_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say where features are kept and who extracts them."""
    for option in reversed(
        (
            click.option("--cache", metavar="DIR", help="Folder for features.  [default: the user's cache]"),
            click.option("--no-cache", is_flag=True, help="Keep nothing and use nothing that was kept."),
            click.option(
                "-j", "--jobs", type=click.IntRange(min=1), default=1, help="Processes that extract.  [default: 1]"
            ),
            click.option("-q", "--quiet", is_flag=True, help="No progress bars and no log on the terminal."),
        )
    ):
        command = option(command)
    return command


def _store(cache: str | None, no_cache: bool) -> FeatureStore:
    from meteor_e_learned.extraction import FeatureStore

    return FeatureStore(cache, enabled=not no_cache)


TRAIN_GROUPS = {
    "Training": OptionGroup(("seed", "resume", "roots"), "linear.yaml --seed 2"),
    "Features": _FEATURES,
    "Output": OptionGroup(("output", "plot", "quiet"), "linear.yaml -o linear.safetensors --plot curve.png"),
}
"""The groups of the help text."""


@click.command(cls=GroupedCommand, groups=TRAIN_GROUPS)
@click.argument("recipe", metavar="RECIPE")
@click.option("-o", "--output", metavar="FILE", help="The model file.  [default: the recipe's name, .safetensors]")
@click.option("--seed", type=click.IntRange(min=0), help="Instead of the recipe's.")
@click.option("--resume", is_flag=True, help="Go on where an interrupted training of the same recipe stopped.")
@click.option("--plot", metavar="FILE", help="Draw the learning curve.")
@click.option(
    "--root",
    "roots",
    multiple=True,
    metavar="NAME=DIR",
    help="Folder of the data of the index NAME.yaml, in place of the index's own; may be repeated.",
)
@_store_options
def train(
    recipe: str,
    output: str | None,
    seed: int | None,
    resume: bool,
    plot: str | None,
    roots: tuple[str, ...],
    cache: str | None,
    no_cache: bool,
    jobs: int,
    quiet: bool,
) -> None:
    """Train a model as a recipe says, and write its file, with a log beside it.

    \b
    meteor-e train linear.yaml -o linear.safetensors
    meteor-e train network.yaml --seed 2 --plot curve.png
    meteor-e train en-light.yaml --root wmt11=DIR --root wmt13=DIR

    System outputs and judgments of WMT's tasks are at statmt.org/wmt11 to wmt17 (results.html of each year), those
    of 2021 at github.com/wmt-conference/wmt21-news-systems and github.com/google-research/mt-metrics-eval. A judged
    set of toy size is in the folder examples/judged of meteor_e.
    """
    from pathlib import Path

    from meteor_e.base import terminal_progress
    from meteor_e_learned.recipe import load_recipe
    from meteor_e_learned.training import train as run

    loaded = load_recipe(recipe)
    given = _roots(roots, [spec.index for spec in (*loaded.train, *loaded.validation)])
    target = Path(output or f"{loaded.name}.safetensors")
    with terminal_progress(quiet) as progress:
        trained = run(
            loaded,
            target,
            folder=Path(recipe).absolute().parent,
            store=_store(cache, no_cache),
            seed=seed,
            resume=resume,
            jobs=jobs,
            listener=None if quiet else _tell,
            progress=progress,
            plot=None if plot is None else Path(plot),
            roots=given,
        )
    click.echo(f"wrote {target}", err=True)
    for name, value in trained.card["figures"].items():
        click.echo(f"{name}\t{value:.4f}" if isinstance(value, float) else f"{name}\t{value}")


def _roots(given: tuple[str, ...], indexes: list[str]) -> dict[str, str]:
    """Return the folders of data by the names of their indexes."""
    from pathlib import Path

    from meteor_e.api import ConfigError, near_miss

    known = [Path(index).stem for index in indexes]
    found = {}
    for text in given:
        name, separator, folder = text.partition("=")
        if not separator or not folder:
            raise ConfigError(f"--root {text!r} is not of the form NAME=DIR, such as wmt13=data/wmt13")
        if name not in known:
            raise ConfigError(
                f"--root {text!r}: the recipe has no index {name!r}{near_miss(name, known)}; it has {', '.join(known)}"
            )
        found[name] = folder
    return found


_reference_option = click.option(
    "-R",
    "--reference",
    "references",
    multiple=True,
    metavar="FILE",
    help="A reference; repeat it for several. All other files are then hypotheses.",
)
_NO_COUNT = replaced_option("-r", "name references with -R: --reference FIRST --reference SECOND")


def _sides(files: tuple[str, ...], references: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return hypotheses and references, which files mean as they do in ``meteor-e score``.

    Raises:
        ConfigError: if there is no reference.
    """
    from meteor_e.api import ConfigError

    if references:
        return files, references
    if len(files) < 2:
        raise ConfigError("a reference is missing: give the hypotheses and, as the last file, the reference")
    return files[:-1], files[-1:]


def _tell(event: Mapping[str, Any]) -> None:
    if "epoch" in event:
        taus = " ".join(f"{tau:.4f}" for tau in event["tau"])
        # Not by click, which would write into the middle of a progress bar.
        print(
            f"{event['cost']} epoch {event['epoch']}: loss {event['loss'][0]:.4f}, tau {taus} ({event['device']})",
            file=sys.stderr,
        )
    elif event.get("event") == "data":
        print(f"{event['comparisons']} comparisons of {event['hypotheses']} hypotheses", file=sys.stderr)


@click.command()
@click.argument("model_file", metavar="MODEL")
@click.argument("files", nargs=-1, required=True, metavar="HYPOTHESIS [REFERENCE]")
@_reference_option
@_NO_COUNT
@click.option("--system", metavar="NAME", help="What files of scores call the system, for models that read such.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file.  [default: standard output]")
@_store_options
def predict(
    model_file: str,
    files: tuple[str, ...],
    references: tuple[str, ...],
    system: str | None,
    output: str | None,
    cache: str | None,
    no_cache: bool,
    jobs: int,
    quiet: bool,
) -> None:
    """Score the segments of a hypothesis with a trained model: one line per segment, then the mean.

    The last file is the reference, unless --reference names one or several.

    \b
    meteor-e predict linear.safetensors hypothesis.txt reference.txt
    meteor-e predict linear.safetensors hypothesis.txt --reference first.txt --reference second.txt
    """
    from meteor_e.api import ConfigError, FeatureBatch
    from meteor_e.base import terminal_progress
    from meteor_e.cli import destination
    from meteor_e_learned.modelfile import load_model
    from meteor_e_learned.scoring import score_segments

    hypotheses, its_references = _sides(files, references)
    if len(hypotheses) > 1:
        raise ConfigError(
            "predict scores one system: MODEL HYPOTHESIS REFERENCE. Name several references by --reference, one each"
        )
    loaded = load_model(model_file)
    (segments,), by_segment = _read(hypotheses, its_references)
    named = None if system is None else [system] * len(segments)
    with terminal_progress(quiet) as progress:
        scores = score_segments(
            loaded,
            FeatureBatch(segments, by_segment, None, named, [str(at) for at in range(1, len(segments) + 1)]),
            _store(cache, no_cache),
            jobs=jobs,
            progress=progress,
        )
    with destination(output) as stream:
        for number, score in enumerate(scores, 1):
            stream.write(f"{number}\t{float(score)!r}\n")
        stream.write(f"mean\t{float(loaded.estimator.system_score(scores)[0])!r}\n")


RANK_GROUPS = {
    "Input": OptionGroup(
        ("references", "systems", "index", "pairs", "root"),
        "linear.safetensors --index wmt12.yaml --pair de-en",
    ),
    "Features": _FEATURES,
    "Output": OptionGroup(("segments", "output", "quiet"), "linear.safetensors a.txt b.txt reference.txt --segments"),
}
"""The groups of the help text."""


@click.command(cls=GroupedCommand, groups=RANK_GROUPS)
@click.argument("model_file", metavar="MODEL")
@click.argument("files", nargs=-1, metavar="[HYPOTHESIS... [REFERENCE]]")
@_reference_option
@_NO_COUNT
@click.option("--segments", is_flag=True, help="Write the ranking of each segment, too.")
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="NAME",
    help="What to call the systems, once for each; files of scores know them by it.  [default: their files]",
)
@click.option(
    "--index",
    metavar="INDEX",
    help="Rank the systems of a judged test set, instead of files, and say how far people agree.",
)
@click.option(
    "--pair",
    "pairs",
    multiple=True,
    metavar="SRC-TRG",
    help="A language pair of the index; may be repeated.  [default: all into the model's language]",
)
@click.option("--root", metavar="DIR", help="Folder of the data, instead of the index's.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file.  [default: standard output]")
@_store_options
def rank(
    model_file: str,
    files: tuple[str, ...],
    references: tuple[str, ...],
    segments: bool,
    systems: tuple[str, ...],
    index: str | None,
    pairs: tuple[str, ...],
    root: str | None,
    output: str | None,
    cache: str | None,
    no_cache: bool,
    jobs: int,
    quiet: bool,
) -> None:
    """Rank systems, segment by segment and on the whole, by a pairwise model: the majority of wins decides.

    The last file is the reference, unless --reference names one or several.

    \b
    meteor-e rank linear.safetensors a.txt b.txt c.txt reference.txt --segments
    meteor-e rank linear.safetensors --index wmt12.yaml --pair cs-en --pair de-en
    """
    from meteor_e.api import ConfigError
    from meteor_e.base import terminal_progress
    from meteor_e.cli import destination
    from meteor_e_learned.modelfile import load_model
    from meteor_e_learned.prediction import pairwise_advantages
    from meteor_e_learned.prediction import rank as order

    if index is not None:
        if files or segments or systems or references:
            raise ConfigError("--index goes neither with files nor with --segments, --system and --reference")
        with terminal_progress(quiet) as progress, destination(output) as stream:
            stream.write(_judged(load_model(model_file), index, pairs, root, _store(cache, no_cache), jobs, progress))
        return
    if pairs or root is not None:
        raise ConfigError("--pair and --root go with --index")
    if len(files) < (2 if references else 3):
        raise ConfigError("two hypotheses and a reference are needed, at least, or --index")
    hypotheses, its_references = _sides(files, references)
    if systems and len(systems) != len(hypotheses):
        raise ConfigError(f"--system is given {len(systems)} times for {len(hypotheses)} hypotheses")
    names = systems or hypotheses
    loaded = load_model(model_file)
    outputs, by_segment = _read(hypotheses, its_references)
    if not by_segment:
        raise ConfigError("the files are empty; there is nothing to rank")
    with terminal_progress(quiet) as progress:
        found = pairwise_advantages(
            loaded, outputs, by_segment, _store(cache, no_cache), names=names, jobs=jobs, progress=progress
        )
    by_place, whole = order(found)
    with destination(output) as stream:
        stream.write("rank\twins\tsystem\n")
        for place in sorted(range(len(names)), key=lambda place: (whole.ranks[place], place)):
            stream.write(f"{whole.ranks[place]}\t{whole.wins[place]:.4f}\t{names[place]}\n")
        if segments:
            stream.write("\nsegment\t" + "\t".join(names) + "\n")
            for number, ranking in enumerate(by_place, 1):
                stream.write(f"{number}\t" + "\t".join(map(str, ranking.ranks)) + "\n")


def _judged(
    loaded: LearnedModel,
    index: str,
    pairs: tuple[str, ...],
    root: str | None,
    store: FeatureStore,
    jobs: int,
    progress: Progress,
) -> str:
    """Return the rankings of judged test sets beside people's, and the agreement."""
    from meteor_e.api import ConfigError
    from meteor_e.base import require, staged
    from meteor_e.cli import format_table

    evaluation = require("meteor_e_evaluation", "ranking by an index of judgments", distribution="meteor-e-evaluation")
    from meteor_e_learned.human_agreement import rank_test_set

    data = evaluation.load_index(index, root=root)
    wanted = list(pairs) or data.pairs_into(loaded.recipe.language)
    if not wanted:
        raise ConfigError(f"{index}: no language pair into {loaded.recipe.language!r}; name one with --pair")
    found = [
        rank_test_set(
            loaded,
            evaluation.load_test_set(data, pair),
            store,
            jobs=jobs,
            progress=staged(progress, f"{data.name} {pair}"),
        )
        for pair in wanted
    ]
    parts = []
    for entry in found:
        order = sorted(range(len(entry.systems)), key=lambda place: (entry.ranking.ranks[place], place))
        rows = [
            [
                str(entry.ranking.ranks[place]),
                entry.systems[place],
                f"{entry.ranking.wins[place]:.4f}",
                f"{entry.human[place]:.4f}",
            ]
            for place in order
        ]
        parts.append(f"{data.name} {entry.pair}\n" + format_table(["rank", "system", "wins", "human"], rows, left=2))
    rows = [
        [
            entry.pair,
            str(entry.agreement.comparisons),
            f"{entry.agreement.share:.4f}",
            f"{entry.agreement.tau:.4f}",
            f"{entry.spearman:.4f}",
            f"{entry.kendall:.4f}",
        ]
        for entry in found
    ]
    if len(found) > 1:
        values = [(entry.agreement.share, entry.agreement.tau, entry.spearman, entry.kendall) for entry in found]
        means = [f"{sum(column) / len(column):.4f}" for column in zip(*values, strict=True)]
        rows.append(["mean", str(sum(entry.agreement.comparisons for entry in found)), *means])
    header = ["agreement", "comparisons", "share", "tau-strict", "system rho", "system tau-b"]
    return "\n".join([*parts, format_table(header, rows)]).rstrip("\n") + "\n"


def _read(hypotheses: Any, references: Any) -> tuple[list[list[str]], list[list[str]]]:
    """Return the systems' segments, and each segment's references."""
    from meteor_e.api import InputError
    from meteor_e.formats import read_segments

    texts = {name: list(read_segments(name)) for name in (*hypotheses, *references)}
    first = hypotheses[0]
    for name, segments in texts.items():
        if len(segments) != len(texts[first]):
            raise InputError(f"{name} has {len(segments)} segments, {first} has {len(texts[first])}")
    by_segment = [list(each) for each in zip(*(texts[name] for name in references), strict=True)]
    return [texts[name] for name in hypotheses], by_segment


@click.group(cls=FullHelpGroup)
def model() -> None:
    """List the models that are ready to use, show what a model holds, and explain its scores."""


@model.command("list")
@click.option("--json", "as_json", is_flag=True, help="All that is known, as JSON.")
def list_models(as_json: bool) -> None:
    """List the models that come with the plugin; -M takes their names.

    \b
    meteor-e model list
    """
    import msgspec

    from meteor_e.cli import format_table
    from meteor_e_learned.ready import model_size, ready_models

    models = ready_models()
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(models), indent=2).decode())
        return
    rows = []
    for entry in models.values():
        reaches = "; ".join(
            f"{figure.data} {figure.value:.3f} (METEOR {figure.meteor:.3f})" for figure in entry.figures
        )
        rows.append(
            [entry.name, entry.language, f"{model_size(entry.name) / 1000:.0f} kB", ", ".join(entry.needs), reaches]
        )
    click.echo(format_table(["name", "language", "size", "needs", "reaches, on data it had not seen"], rows, left=5))
    for entry in models.values():
        click.echo(f"{entry.name}: {entry.summary} Not for: {entry.avoid}")


@model.command("explain")
@click.argument("model_name", metavar="MODEL")
@click.argument("files", nargs=-1, required=True, metavar="HYPOTHESIS HYPOTHESIS [REFERENCE]")
@_reference_option
@_NO_COUNT
@click.option("--segment", type=click.IntRange(min=1), help="One segment only, by its number.  [default: all]")
@click.option("--reasons", type=click.IntRange(min=1), default=5, help="How many reasons to give.  [default: 5]")
def explain_scores(
    model_name: str, files: tuple[str, ...], references: tuple[str, ...], segment: int | None, reasons: int
) -> None:
    """Say which features move the scores of two outputs apart.

    The last file is the reference, unless --reference names one or several.

    \b
    meteor-e model explain en-light system-a.txt system-b.txt reference.txt
    meteor-e model explain en-light system-a.txt system-b.txt reference.txt --segment 3
    """
    from meteor_e.api import ConfigError
    from meteor_e_learned.explain import explain
    from meteor_e_learned.modelfile import load_model

    hypotheses, its_references = _sides(files, references)
    if len(hypotheses) != 2:
        raise ConfigError(
            f"model explain compares two outputs, not {len(hypotheses)}: MODEL HYPOTHESIS HYPOTHESIS REFERENCE. "
            "Name several references by --reference, one each"
        )
    loaded = load_model(model_name)
    (one, other), by_segment = _read(hypotheses, its_references)
    if segment is not None:
        if segment > len(one):
            raise ConfigError(f"--segment {segment}: there are {len(one)} segments")
        chosen = slice(segment - 1, segment)
        one, other, by_segment = one[chosen], other[chosen], by_segment[chosen]
    click.echo(explain(loaded, one, other, by_segment).text((hypotheses[0], hypotheses[1]), reasons))


@model.command()
@click.argument("model_file", metavar="MODEL")
@click.option("--json", "as_json", is_flag=True, help="All of it, as JSON.")
@click.option(
    "--weights",
    type=click.IntRange(min=0),
    default=15,
    help="Features with the largest weights to show.  [default: 15]",
)
def show(model_file: str, as_json: bool, weights: int) -> None:
    """Print the model card: data, figures, features, options.

    \b
    meteor-e model show en-light
    meteor-e model show linear.safetensors
    """
    import json

    from meteor_e.api import guarded
    from meteor_e.cli import printable
    from meteor_e_learned.card import as_text, card_data
    from meteor_e_learned.modelfile import load_model

    loaded = load_model(model_file)
    # Anybody may have written the card.
    with guarded(f"{model_file}: reading the model card"):
        text = json.dumps(card_data(loaded), ensure_ascii=False, indent=2) if as_json else as_text(loaded, weights)
    click.echo("\n".join(map(printable, text.split("\n"))))
