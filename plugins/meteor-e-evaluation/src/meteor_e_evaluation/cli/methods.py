"""``meteor-e methods``: the sentence and the BibTeX of a signature."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click


@click.command()
@click.argument("signature")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", help="[default: text]")
def methods(signature: str, form: str) -> None:
    """Print the sentence and the BibTeX for a section on methods.

    SIGNATURE is a signature of METEOR, an evaluation ID of METEOR's Java program, or a file that `meteor-e score -f
    json` wrote.

    \b
    meteor-e methods 'meteor-1.5-wo-en-norm-0.85_0.2_0.6_0.75-ex_st_sy_pa-1.0_0.6_0.8_0.6'
    meteor-e methods scores.json
    """
    from meteor_e_evaluation.which.methods import methods as write
    from meteor_e_evaluation.which.methods import signatures_in

    # No signature ends like a file's name or has no bar, but an evaluation ID of the Java program, which has hyphens.
    is_file = "|" not in signature and (signature.endswith(".json") or Path(signature).exists())
    named = signatures_in(Path(signature)) if is_file else {signature: ""}
    found = [write(each, name) for each, name in named.items()]
    if form == "json":
        click.echo(json.dumps([asdict(each) for each in found], ensure_ascii=False, indent=2))
        return
    entries = dict.fromkeys(entry for each in found for entry in each.bibliography.split("\n\n"))
    click.echo("\n\n".join([*(each.sentence for each in found), *entries]))
