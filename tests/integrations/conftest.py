from __future__ import annotations

from pathlib import Path

import pytest

OWN = Path(__file__).parents[1] / "parity" / "own"


@pytest.fixture(scope="session")
def tiny_pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack of our own data, so that no third party's is needed."""
    from meteor_e.packs.build import build_pack

    folder = tmp_path_factory.mktemp("packs") / "tiny"
    build_pack(
        folder,
        language="en",
        function_words=OWN / "function.words",
        synonyms=OWN / "english.synsets",
        exceptions=OWN / "english.exceptions",
        paraphrases=OWN / "paraphrases.txt",
    )
    return folder
