"""METEOR-E's synonyms, which are looked up by lemma, for ``meteor-e compat``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from meteor_e.api.java_modules import JavaModule, JavaSettings


class SynonymModule(JavaModule):
    """Synonyms of the word and its lemma: what METEOR-E has where words have lemmas."""

    name: ClassVar[str] = "synonym"

    def matcher(self, settings: JavaSettings) -> dict[str, Any]:
        """Return the matcher ``dbnary``."""
        if settings.synonyms is None:
            return {"use": "dbnary", "pack": settings.language.pack}
        files = [Path(settings.synonyms) / f"{settings.language_name}.synsets{packed}" for packed in ("", ".gz")]
        return {"use": "dbnary", "file": str(next((file for file in files if file.is_file()), files[0]))}
