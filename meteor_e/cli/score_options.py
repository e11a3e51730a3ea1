"""What the options of ``meteor-e score`` ask for: checked, and made into a table of scores."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from meteor_e.api.formats import WmtNames
from meteor_e.api.tables import ScoreRun
from meteor_e.base.errors import ConfigError
from meteor_e.cli.combinations import check_combination
from meteor_e.cli.failures import failing, without_failures
from meteor_e.cli.inputs import file_format, lined_up, named, systems
from meteor_e.cli.results import output_format, tests_of
from meteor_e.cli.score_tables import TableOptions, find_table, runners, systems_of

if TYPE_CHECKING:
    from meteor_e.api.formats import OutputFormat
    from meteor_e.api.metrics import Metric
    from meteor_e.api.tables import SystemInput
    from meteor_e.base.progress import Progress
    from meteor_e.formats.inputs import Format
    from meteor_e.results import Results


class ScoreOptions(SimpleNamespace):
    """The options of the command, under their names, as the command line gives them."""

    def output_format(self) -> OutputFormat:
        """Return the format of the output.

        Raises:
            ConfigError: if there is none.
        """
        return output_format(self.form)

    def check(self, form: OutputFormat, into_table: bool) -> None:
        """Refuse options that do not go together; the table of :mod:`meteor_e.cli.combinations` says which."""
        given = {
            "--quiet": self.quiet,
            "--format": form.name != "text",
            "--dask": self.cluster is not None,
            "-o TABLE": into_table,
            "-M": any(name.rpartition("=")[2] != "meteor" for name in self.metrics),
            "--significance": self.significance not in (None, "none"),
            "--segments": self.segments,
            "--alignments": self.alignments,
            "--explain": self.explain,
            "--on-error": self.on_error != "stop",
            "--wmt-names": self.wmt_names is not None,
            "--format without segments": not form.segments,
            "--format without alignments": not form.alignments,
            "--format for programs": form.name in ("tsv", "csv", "wmt"),
            "another --format": form.name != "wmt",
        }
        check_combination([name for name, active in given.items() if active])

    def of_test_set(self) -> ScoreOptions:
        """Return the options with files, references, names and language of a test set by name filled in."""
        if self.test_set is None and self.pair is None:
            return self
        from meteor_e.formats.test_sets import named_set, target_language

        if self.test_set is None or self.pair is None:
            raise ConfigError("--test-set NAME and --pair SRC-TRG go together")
        if self.references:
            raise ConfigError("--test-set gives the references; leave out --reference")
        found = named_set(self.test_set, self.pair)
        files, names, make = self.files, self.names, self.make_meteor
        if not files:
            if not found.system_files:
                raise ConfigError(
                    f"test set {self.test_set} has no system outputs for {self.pair}; give files with hypotheses"
                )
            files, names = tuple(found.system_files.values()), names or tuple(found.system_files)
        if not make.language and make.chain is None:
            make = dataclasses.replace(make, given={**make.given, "language": target_language(self.pair)})
        references = tuple(found.reference_files)
        changed = {"files": files, "references": references, "names": names, "make_meteor": make}
        return ScoreOptions(**{**vars(self), **changed})

    def of_captions(self) -> ScoreOptions:
        """Return the options with COCO's tokens where its JSON is scored in English; a chain has words of its own."""
        make, path = self.make_meteor, (*self.files, *self.references)[-1]
        own = make.chain is not None or "segmenter" in make.given or make.language not in ("", "en")
        if own or path == "-" or (self.form_in or file_format(path, self.encoding)) != "coco":
            return self
        make = dataclasses.replace(make, given={**make.given, "segmenter": "ptb"})
        return ScoreOptions(**{**vars(self), "make_meteor": make})

    def wmt(self, form: OutputFormat) -> WmtNames | None:
        """Return what WMT's format calls pair, test set and reference; ``None`` for another format.

        Raises:
            ConfigError: if there are no names.
        """
        if form.name != "wmt":
            return None
        if self.wmt_names is not None:
            return WmtNames(*self.wmt_names)
        if self.test_set is None or self.pair is None:
            raise ConfigError(
                "--format wmt names language pair, test set and reference: give --wmt-names PAIR TESTSET REFERENCE, "
                "such as --wmt-names de-en newstest2017 refA, or --test-set and --pair"
            )
        return WmtNames(self.pair, self.test_set, "ref")

    def inputs(self) -> tuple[list[SystemInput], bool]:
        """Return the systems, and whether a table holds them."""
        columns = TableOptions(self.hypothesis_columns, self.reference_columns)
        source = self.files, self.references, self.references_per_segment, self.encoding
        table = find_table(*source, columns, self.form_in)
        form = cast("Format | None", self.form_in)
        found = systems(*source, form, self.on_missing) if table is None else systems_of(table)
        return named(found, self.names), table is not None


@contextmanager
def scored_table(
    options: ScoreOptions,
    metrics: list[Metric],
    inputs: list[SystemInput],
    form: OutputFormat,
    output: str | None,
    progress: Progress,
) -> Iterator[Results]:
    """Return the results, which are scored while they are written within the block.

    Args:
        options: of the command.
        metrics: what scores.
        inputs: what is scored.
        form: of the report.
        output: the table of segments; ``None`` for none.
        progress: told about the work.
    """
    from meteor_e.engine.threads import scored_in_order
    from meteor_e.results import score

    language = options.make_meteor.language
    left_out: tuple[int, ...] = ()
    if options.on_error == "skip":
        inputs, left_out = without_failures(inputs, metrics, language)
    elif options.on_error == "zero":
        for metric in failing(metrics, language):
            metric.on_error = "zero"
    if output is not None:
        metrics[0].prepare((), language)
    run = ScoreRun(metrics, inputs, scored_in_order, output, options.prefix, options.cluster)
    with runners(run) as run:
        yield score(
            metrics,
            lined_up(run.systems) if options.explain else run.systems,
            language=language,
            tests=tests_of(options.significance, options.samples, options.seed),
            segments=options.segments or options.alignments,
            details=form.details,
            alignments=options.alignments,
            explain=options.explain,
            progress=progress,
            left_out=left_out,
            in_order=run.in_order,
        )
