"""``meteor-e check-signature``: what a signature means, and whether it can be rerun here."""

from __future__ import annotations

import json

import click


@click.command("check-signature")
@click.argument("signature")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", help="[default: text]")
def check_signature(signature: str, form: str) -> None:
    """Say what a signature means, and whether it can be rerun here.

    SIGNATURE is a signature of METEOR, or an evaluation ID of METEOR's Java program. Its parts are compared with what
    is installed: versions, resource packs, matchers and their data. Nothing is downloaded. The exit status is 1 if the
    signature cannot be rerun here.

    \b
    meteor-e check-signature 'meteor-1.5-wo-en-norm-0.85_0.2_0.6_0.75-ex_st_sy_pa-1.0_0.6_0.8_0.6'
    """
    from meteor_e_evaluation.which.signatures import check_signature as check

    found = check(signature)
    if form == "json":
        click.echo(json.dumps(found.document(), ensure_ascii=False, indent=2))
    else:
        click.echo(found.text(), nl=False)
    if found.reasons:
        click.get_current_context().exit(1)
