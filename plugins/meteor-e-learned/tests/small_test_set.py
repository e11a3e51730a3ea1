"""A small test set of our own, recipes that train on it, and the commands that do; for several folders of tests."""

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


def sentences(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choice(WORDS) for _ in range(draw.randint(6, 14))) for _ in range(count)]


def damaged(sentence: str, share: float, draw: random.Random) -> str:
    words = [word if draw.random() > share else "zzyx" for word in sentence.split()]
    return " ".join(words)


def write_sealed(path: Path, arrays, header) -> None:
    """Write a model file of any content, whose checksum is right."""
    from safetensors.numpy import save

    metadata = {"meteor_e": json.dumps({**header, KEY: PLACEHOLDER})}
    path.write_bytes(insert_checksum(save(arrays, metadata=metadata)))


@pytest.fixture(scope="session")
def test_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of a small test set of our own: three systems that damage more and more of the reference."""
    folder = tmp_path_factory.mktemp("data")
    references = sentences(60, 1)
    (folder / "ref.en").write_text("\n".join(references) + "\n", encoding="utf-8")
    draw = random.Random(2)
    lines, scores = [], ["LP SYSTEM SID HUMAN"]
    for position, system in enumerate(("fair", "good", "poor")):
        share = {"good": 0.1, "fair": 0.3, "poor": 0.6}[system]
        output = [damaged(sentence, share, draw) for sentence in references]
        (folder / f"out.{system}").write_text("\n".join(output) + "\n", encoding="utf-8")
        scores += [f"xx-en {system} {number} {1 - share + 0.01 * position}" for number in range(1, 61)]
    for number in range(1, 61):
        for better, worse in (("good", "fair"), ("good", "poor"), ("fair", "poor")):
            # Human judges do not always agree.
            first, second = (better, worse) if draw.random() < 0.9 else (worse, better)
            lines.append(f"{number}\txx-en\t{first}\txx-en\t{second}")
    (folder / "judged.rank").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "da.txt").write_text("\n".join(scores) + "\n", encoding="utf-8")
    common = "root: .\npairs: [xx-en]\nreferences: ref.en\noutputs: out.{system}\n"
    (folder / "ranked.yaml").write_text(
        f"name: Small\n{common}judgments:\n  - {{file: judged.rank, format: rank}}\n", encoding="utf-8"
    )
    (folder / "assessed.yaml").write_text(
        f"name: Small\n{common}judgments:\n  - {{file: da.txt, format: da-segments}}\n", encoding="utf-8"
    )
    vectors = random.Random(3)
    table = [f"{word} " + " ".join(f"{vectors.uniform(-1, 1):.3f}" for _ in range(4)) for word in sorted({*WORDS})]
    (folder / "words.txt").write_text(f"{len(table)} 4\n" + "\n".join(table) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def recipe(test_set: Path, tmp_path: Path):
    """Write a recipe; return its path."""

    def write(text: str, name: str = "recipe.yaml") -> Path:
        path = tmp_path / name
        path.write_text(text.replace("DATA", str(test_set)), encoding="utf-8")
        return path

    return write


@pytest.fixture
def run(tmp_path):
    """Run a command, which has to succeed; return what it prints."""

    def call(command, *arguments, code=0):
        if command is cli.train:
            arguments = (*arguments, "--quiet")
        environment = {"METEOR_E_CACHE": str(tmp_path / "cache")}
        result = CliRunner().invoke(command, [str(argument) for argument in arguments], env=environment)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result.output

    return call
