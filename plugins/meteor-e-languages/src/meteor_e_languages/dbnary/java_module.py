"""The synonyms of METEOR-E, which are looked up by lemma, for ``meteor-e compat``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from meteor_e.api.java_modules import JavaModule, JavaSettings


class SynonymModule(JavaModule):
    """The module that METEOR-E uses if words have lemmas: synonyms of the word and of its lemma."""

    name: ClassVar[str] = "synonym"

    def matcher(self, settings: JavaSettings) -> dict[str, Any]:
        """Return the options of the matcher ``dbnary`` that correspond to the program's options."""
        if settings.synonyms is None:
            return {"use": "dbnary", "pack": settings.language.pack}
        plain_file = Path(settings.synonyms) / f"{settings.language_name}.synsets"
        compressed_file = plain_file.with_name(f"{plain_file.name}.gz")
        file = compressed_file if compressed_file.is_file() and not plain_file.is_file() else plain_file
        return {"use": "dbnary", "file": str(file)}
