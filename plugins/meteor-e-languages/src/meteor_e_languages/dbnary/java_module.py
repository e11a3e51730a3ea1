"""Convert METEOR-E's Java module ``synonym`` to the matcher ``dbnary`` for the command ``meteor-e compat``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from meteor_e.api.java_modules import JavaModule, JavaSettings


class SynonymModule(JavaModule):
    """METEOR-E's module ``synonym`` for texts with lemmas, which uses the synonyms of words and of lemmas."""

    name: ClassVar[str] = "synonym"

    def matcher(self, settings: JavaSettings) -> dict[str, Any]:
        """Convert the options of METEOR-E to options of the matcher ``dbnary``."""
        if settings.synonyms is None:
            return {"use": "dbnary", "pack": settings.language.pack}
        plain_file = Path(settings.synonyms) / f"{settings.language_name}.synsets"
        compressed_file = plain_file.with_name(f"{plain_file.name}.gz")
        file = compressed_file if compressed_file.is_file() and not plain_file.is_file() else plain_file
        return {"use": "dbnary", "file": str(file)}
