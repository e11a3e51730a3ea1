"""A small test set, and fixtures that train on it. Several folders of tests share this module."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner
from meteor_e_learned import cli

from meteor_e.base.checksum import KEY, PLACEHOLDER, insert_checksum

TEXT = (
    "the minister said that new houses were sold by his friends after a long summer in which prices rose and "
    "people left their old city because work was hard to find there while young families stayed near schools"
)
WORDS = TEXT.split()


def random_sentences(count: int, seed: int) -> list[str]:
    """Return random sentences of 6 to 14 words."""
    generator = random.Random(seed)
    return [" ".join(generator.choice(WORDS) for _ in range(generator.randint(6, 14))) for _ in range(count)]


def replace_words(sentence: str, error_rate: float, generator: random.Random) -> str:
    """Replace a share of the words of a sentence with an unknown word."""
    words = [word if generator.random() > error_rate else "zzyx" for word in sentence.split()]
    return " ".join(words)


def write_model_file(path: Path, arrays, header) -> None:
    """Write a model file with any arrays and header, and a correct checksum."""
    from safetensors.numpy import save

    metadata = {"meteor_e": json.dumps({**header, KEY: PLACEHOLDER})}
    path.write_bytes(insert_checksum(save(arrays, metadata=metadata)))


@pytest.fixture(scope="session")
def test_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a small test set, and return its folder.

    The outputs of its three systems are copies of the references in which some words are replaced: 10% (``good``),
    30% (``fair``) and 60% (``poor``).
    """
    folder = tmp_path_factory.mktemp("data")
    references = random_sentences(60, 1)
    (folder / "ref.en").write_text("\n".join(references) + "\n", encoding="utf-8")
    generator = random.Random(2)
    rank_lines, score_lines = [], ["LP SYSTEM SID HUMAN"]
    for system_index, system in enumerate(("fair", "good", "poor")):
        error_rate = {"good": 0.1, "fair": 0.3, "poor": 0.6}[system]
        output = [replace_words(sentence, error_rate, generator) for sentence in references]
        (folder / f"out.{system}").write_text("\n".join(output) + "\n", encoding="utf-8")
        score_lines += [
            f"xx-en {system} {segment_number} {1 - error_rate + 0.01 * system_index}" for segment_number in range(1, 61)
        ]
    for segment_number in range(1, 61):
        for better, worse in (("good", "fair"), ("good", "poor"), ("fair", "poor")):
            # Human judges do not always agree.
            first, second = (better, worse) if generator.random() < 0.9 else (worse, better)
            rank_lines.append(f"{segment_number}\txx-en\t{first}\txx-en\t{second}")
    (folder / "judged.rank").write_text("\n".join(rank_lines) + "\n", encoding="utf-8")
    (folder / "da.txt").write_text("\n".join(score_lines) + "\n", encoding="utf-8")
    index_header = "root: .\npairs: [xx-en]\nreferences: ref.en\noutputs: out.{system}\n"
    (folder / "ranked.yaml").write_text(
        f"name: Small\n{index_header}judgments:\n  - {{file: judged.rank, format: rank}}\n", encoding="utf-8"
    )
    (folder / "assessed.yaml").write_text(
        f"name: Small\n{index_header}judgments:\n  - {{file: da.txt, format: da-segments}}\n", encoding="utf-8"
    )
    vector_generator = random.Random(3)
    vector_lines = [
        f"{word} " + " ".join(f"{vector_generator.uniform(-1, 1):.3f}" for _ in range(4)) for word in sorted({*WORDS})
    ]
    (folder / "words.txt").write_text(f"{len(vector_lines)} 4\n" + "\n".join(vector_lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def recipe(test_set: Path, tmp_path: Path):
    """Return a function that writes a recipe and returns its path. ``DATA`` stands for the folder of the test set."""

    def write(text: str, name: str = "recipe.yaml") -> Path:
        path = tmp_path / name
        path.write_text(text.replace("DATA", str(test_set)), encoding="utf-8")
        return path

    return write


@pytest.fixture
def run(tmp_path):
    """Return a function that runs a command, checks its exit code, and returns its output."""

    def invoke(command, *arguments, code=0):
        if command is cli.train:
            arguments = (*arguments, "--quiet")
        environment = {"METEOR_E_CACHE": str(tmp_path / "cache")}
        result = CliRunner().invoke(command, [str(argument) for argument in arguments], env=environment)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result.output

    return invoke
