"""Evaluate image captions with the same metrics as pycocoevalcap, but without Java.

    python examples/captioning.py [ANNOTATIONS.json RESULTS.json]

The files have COCO's formats: ``{"annotations": [{"image_id": …, "caption": …}, …]}`` and
``[{"image_id": …, "caption": …}, …]``.
METEOR's class and the tokenizer are in a plugin (``pip install ./plugins/meteor-e-captions``).
METEOR needs its English pack (``meteor-e pack install en``); BLEU, ROUGE and CIDEr come from pycocoevalcap, if it is
installed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from meteor_e_captions.coco import Meteor, PTBTokenizer

Captions = dict[Any, list[dict[str, str]]]

EXAMPLE_CAPTIONS: tuple[Captions, Captions] = (
    {
        1: [{"caption": "A man is riding a brown horse."}, {"caption": "The man's horse runs through a field."}],
        2: [{"caption": "Two dogs play in the snow."}, {"caption": "Dogs are playing outside; it's snowing!"}],
    },
    {1: [{"caption": "A man rides a horse in a field."}], 2: [{"caption": "Two dogs run through the snow."}]},
)
"""References and captions by image id, for a run without files."""


def read_captions(annotations: str, results: str) -> tuple[Captions, Captions]:
    """Return the references and captions of all images that have a caption. The keys are image ids."""
    captions: Captions = {}
    for result in json.loads(Path(results).read_text(encoding="utf-8")):
        captions.setdefault(result["image_id"], []).append(result)
    references: Captions = {key: [] for key in captions}
    for annotation in json.loads(Path(annotations).read_text(encoding="utf-8"))["annotations"]:
        if annotation["image_id"] in references:
            references[annotation["image_id"]].append(annotation)
    return references, captions


def load_scorers() -> list[tuple[str, Any]]:
    """Return METEOR, and the Python metrics of pycocoevalcap if pycocoevalcap is installed."""
    meteor = ("METEOR", Meteor())
    try:
        from pycocoevalcap.bleu.bleu import Bleu
        from pycocoevalcap.cider.cider import Cider
        from pycocoevalcap.rouge.rouge import Rouge
    except ImportError:
        print("pycocoevalcap is not installed: METEOR alone", file=sys.stderr)
        return [meteor]
    return [("Bleu", Bleu(4)), meteor, ("ROUGE_L", Rouge()), ("CIDEr", Cider())]


def main() -> None:
    """Tokenize and score the captions, and print a line for each metric."""
    references, captions = read_captions(*sys.argv[1:]) if len(sys.argv) == 3 else EXAMPLE_CAPTIONS
    tokenizer = PTBTokenizer()
    reference_tokens, caption_tokens = tokenizer.tokenize(references), tokenizer.tokenize(captions)
    for name, scorer in load_scorers():
        options = {"verbose": 0} if name == "Bleu" else {}
        score, _ = scorer.compute_score(reference_tokens, caption_tokens, **options)
        if name == "Bleu":
            for order, value in enumerate(score, 1):
                print(f"Bleu_{order}\t{value:.6f}")
        else:
            print(f"{name}\t{score:.6f}")


if __name__ == "__main__":
    main()
