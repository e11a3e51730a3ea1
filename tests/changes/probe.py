"""Run on a copy of the tree, by itself: prints what ``compat``, EVAL, ``score`` and a trained model give there.

usage: probe.py ROOT FOLDER [--changed | --ready | --schema]: with --changed, the probes of all changes run first; with
--ready, only a ready model is asked; with --schema, the schema of chains is printed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
JUDGED = REPOSITORY / "examples" / "judged"
HYPOTHESES = ["the cats sat on the mat", "he gives her two books"]
REFERENCES = ["the cat sat on a mat", "he gave her two books"]
RECIPE = f"""
name: mean
estimator: guarded-linear
train: [{{index: {JUDGED / "ranked.yaml"}}}, {{index: {JUDGED / "assessed.yaml"}}}]
features: [{{use: meteor, chain: {{language: en, matchers: [exact, stem]}}}}, text]
options: {{toward: [meteor.score]}}
"""


def run(*arguments: str, text: str | None = None) -> str:
    """Call the command line in this process; return what it prints."""
    from click.testing import CliRunner

    from meteor_e.cli.program import cli

    done = CliRunner().invoke(cli, list(arguments), input=text)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, (arguments, done.output)
    return done.stdout


def main() -> None:
    """Print the figures as JSON."""
    root, folder = Path(sys.argv[1]), Path(sys.argv[2])
    sys.path.insert(0, str(root))
    # An editable installation would be found before the path.
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in str(getattr(finder, "__module__", ""))]
    import meteor_e
    from meteor_e import Meteor, load_metric
    from meteor_e.engine.native import native_module

    assert Path(meteor_e.__file__).is_relative_to(root), meteor_e.__file__
    files = [folder / "hypotheses", folder / "references"]
    for file, lines in zip(files, (HYPOTHESES, REFERENCES), strict=True):
        file.write_text("".join(f"{line}\n" for line in lines))
    names = [str(files[0]), "-r", str(files[1])]
    if sys.argv[3:] == ["--schema"]:
        from meteor_e.chains.schemas import json_schema

        sys.stdout.write(json_schema("chain"))
        return
    if sys.argv[3:] == ["--ready"]:
        # It needs METEOR's English pack.
        print(json.dumps(load_metric("en-light").corpus(HYPOTHESES, REFERENCES).segments.tolist()))
        return
    if sys.argv[3:]:
        from changes import CHANGES

        for change in CHANGES:
            exec(change.probe, {**globals(), "Meteor": Meteor, "FILES": names, "folder": folder})
    model = folder / "model.safetensors"
    if not model.is_file():
        (folder / "recipe.yaml").write_text(RECIPE)
        run("train", str(folder / "recipe.yaml"), "-o", str(model), "--no-cache")
    java = [str(files[0]), str(files[1]), "-l", "en", "-norm", "-m", "exact stem"]
    request = f"SCORE ||| {REFERENCES[0]} ||| {HYPOTHESES[0]}\n"
    line = run("compat", "-", "-", *java[2:], "-stdio", text=request)
    meteor = Meteor("en", matchers=["exact", "stem"])
    print(
        json.dumps(
            {
                "native": native_module() is not None,
                "ssOut": run("compat", *java, "-ssOut"),
                "vOut": run("compat", *java, "-vOut"),
                "SCORE": line,
                "EVAL": run("compat", "-", "-", *java[2:], "-stdio", text=f"EVAL ||| {line.strip()}\n"),
                "score": json.loads(run("score", *names, "-m", "exact,stem", "--format=json")),
                "Python": meteor.corpus(HYPOTHESES, REFERENCES, segments=True).to_dict(),
                "model": load_metric(str(model)).corpus(HYPOTHESES, REFERENCES).segments.tolist(),
            }
        )
    )


if __name__ == "__main__":
    main()
