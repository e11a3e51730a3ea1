"""``meteor-e compat``: the Java program's command line and output.

Everything is as METEOR 1.5's jar has it, standard output and files to the byte (``docs/compat.md`` lists what
differs); errors that are a stack trace there are one line here.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from meteor_e.cli.output import destination
from meteor_e.java.options import FLAGS, VALUES, JavaConfiguration, UsageError, parse

HELP = {
    "-l": "language: en cz de es fr ru da fi hu it nl no pt ro se tr, or other (default en)",
    "-t": "task: rank util adq hter li tune universal",
    "-p": "'alpha beta gamma delta'",
    "-m": "modules: 'exact stem synonym paraphrase'",
    "-w": "weights of the modules: '1.0 0.6 0.8 0.6'",
    "-r": "references per segment, one after the other in the reference file (default 1)",
    "-x": "beam size (default 40)",
    "-s": "file of function words",
    "-d": "folder of synonyms; METEOR-E's are looked up by lemma, too (with -lemmas, or vectors that need lemmas)",
    "-a": "paraphrase table (gzip)",
    "-f": "prefix of the files that are written (default meteor)",
    "-emb": "METEOR-E: word vectors (module 'embeddings'), looked up by word",
    "-embLemma": "the same, looked up by lemma",
    "-embWord_POS": "the same, by word and tag",
    "-embLemma_POS": "the same, by lemma and tag",
    "-embWord_Lemma": "the same, by word and lemma",
    "-embTh": "lowest similarity of two words (default 0.80)",
    "-lemmas": "METEOR-E: table of lemmas, word, tag and lemma, joined by tabs",
    "-new": "folder of a new language: function.words and paraphrase.gz",
    "-q": "segment scores on standard error, the final score on standard output, nothing else",
    "-ch": "precision and recall of characters",
    "-norm": "tokenize, normalize punctuation, lowercase",
    "-lower": "lowercase",
    "-noPunct": "with -norm: drop punctuation",
    "-sgml": "the files are SGML",
    "-stdio": "answer SCORE and EVAL lines of standard input",
    "-mira": "the same as -stdio",
    "-vOut": "precision, recall, penalty and score of every segment",
    "-ssOut": "statistics instead of scores",
    "-writeAlignments": "write alignments to PREFIX-align.out",
}


class JavaCommand(click.Command):
    """A command whose arguments are the Java program's, so that click must leave them alone."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Take all arguments as they are; a lone ``--help`` asks for help."""
        if args in (["--help"], ["-h"], ["-help"]):
            click.echo(self.get_help(context))
            context.exit()
        context.params["arguments"] = tuple(args)
        return []

    def collect_usage_pieces(self, context: click.Context) -> list[str]:
        """Name the two files."""
        return ["TEST", "REFERENCE", "[OPTIONS]"]

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the Java program's options."""
        with formatter.section("Options of the Java program"):
            formatter.write_dl(
                [
                    (f"{name} {VALUES[name].upper()}" if name in VALUES else name, HELP[name])
                    for name in (*VALUES, *FLAGS)
                ]
            )


@click.command(cls=JavaCommand)
def compat(arguments: Sequence[str]) -> None:
    """Take METEOR 1.5's (Java) command line unchanged, or METEOR-E's, and write what it writes.

    \b
    meteor-e compat system.txt reference.txt -l en -norm -vOut
    meteor-e compat system.txt reference.txt -l fr -norm -emb fr.vectors.txt -lemmas fr.tsv -d dbnary
    meteor-e compat - - -stdio -l en -norm
    """
    try:
        options = parse(arguments)
        configuration = JavaConfiguration.of(options)
    except UsageError as error:
        raise UsageError(f"{error} (see meteor-e compat --help)") from error
    with destination(None) as stream:
        from meteor_e.java.program import run

        run(options, configuration, stream)
