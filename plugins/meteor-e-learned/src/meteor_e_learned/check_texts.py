"""Check texts: do the features of a model still give the numbers that it learned from?

A model is tried on them before it is used. They are short, made up for this purpose, and have what features look at:
names, numbers, marks, unknown words, other scripts, repetition, word order, nothing at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Feature, FeatureBatch
from meteor_e.base.array_cache import Floats
from meteor_e_learned.extraction import FeatureSet
from meteor_e_learned.feature_store import FeatureStore

TOLERANCE = 1e-6
"""By how much a number may differ, absolutely or relative to its size."""

_TEXTS = {
    "en": (
        (
            "The lighthouse keeper counted 14 ships before noon.",
            "Before noon, the keeper of the lighthouse counted 14 ships.",
        ),
        ("A old bridge was closed since Monday", "The old bridge has been closed since Monday."),
        (
            "Nobody told Ms. Okonkwo that her train, the 7:45, does not stops here!",
            "Nobody had told Ms Okonkwo that the 7.45 train doesn't stop here.",
        ),
        (
            "The Quittenmus is cooked slow slow with zucker",
            "The quince jam is cooked very slowly with sugar.",
        ),
        ("Two of the three reports are not yet public.", "Two of the three reports are already public."),
        ("He said: „we will see“ — and left the зал.", '"We shall see," he said, and left the hall.'),
        ("the the the", "Rivers carry sand to the sea."),
        ("", "Silence followed."),
        ("Rivers carry sand to the sea.", "Rivers carry sand to the sea."),
        (
            "Children were playing in the garden of neighbors while it rained",
            "While it was raining, the children played in the neighbors' garden.",
        ),
    ),
    "fr": (
        (
            "Le gardien du phare a compté 14 bateaux avant midi.",
            "Avant midi, le gardien du phare avait compté 14 navires.",
        ),
        ("La vieille pont est fermé depuis lundi", "Le vieux pont est fermé depuis lundi."),
        ("L'eau des rivières porte du Sand à la mer.", "Les rivières portent du sable jusqu'à la mer."),
        ("Deux rapports ne sont pas publics.", "Deux des trois rapports sont déjà publics !"),
        ("", "Un silence suivit."),
        ("Les enfants jouaient au jardin.", "Les enfants jouaient au jardin."),
    ),
    "de": (
        (
            "Der Leuchtturmwärter zählte 14 Schiffe vor Mittag.",
            "Vor dem Mittag zählte der Wärter des Leuchtturms 14 Schiffe.",
        ),
        ("Die alte Brücke geschlossen ist seit Montag", "Die alte Brücke ist seit Montag gesperrt."),
        ("Flüsse carry Sand ins Meer.", "Die Flüsse tragen Sand bis ins Meer."),
        ("Zwei Berichte sind noch nicht öffentlich.", "Zwei der drei Berichte sind bereits öffentlich!"),
        ("", "Stille folgte."),
        ("Die Kinder spielten im Garten.", "Die Kinder spielten im Garten."),
    ),
    "es": (
        (
            "El farero contó 14 barcos antes del mediodía.",
            "Antes del mediodía, el guarda del faro había contado 14 barcos.",
        ),
        ("La puente viejo está cerrada desde lunes", "El viejo puente está cerrado desde el lunes."),
        ("Los ríos carry arena al mar.", "Los ríos llevan arena hasta el mar."),
        ("Dos informes no son públicos.", "¡Dos de los tres informes ya son públicos!"),
        ("", "Siguió un silencio."),
        ("Los niños jugaban en el jardín.", "Los niños jugaban en el jardín."),
    ),
    "cs": (
        ("Strážce majáku spočítal 14 lodí před polednem.", "Do poledne napočítal strážce majáku 14 lodí."),
        ("Starý most zavřený od pondělí", "Starý most je od pondělí uzavřen."),
        ("Řeky carry písek do moře.", "Řeky nesou písek až do moře."),
        ("Dvě zprávy nejsou veřejné.", "Dvě ze tří zpráv už jsou veřejné!"),
        ("", "Následovalo ticho."),
        ("Děti si hrály na zahradě.", "Děti si hrály na zahradě."),
    ),
}


@dataclass(frozen=True)
class CheckTexts:
    """Check texts, and the numbers that the features of a model gave for them when it was trained.

    Attributes:
        hypotheses, references: a text each.
        columns: names of the features that were tried: those that read nothing but these texts.
        numbers: ``(texts, columns)``.
        libraries: versions of the libraries of each feature then, by the feature's label.
    """

    hypotheses: tuple[str, ...]
    references: tuple[str, ...]
    columns: tuple[str, ...]
    numbers: Floats
    libraries: dict[str, dict[str, str]]

    def check(self, features: FeatureSet, model: str) -> None:
        """Compare with what the features give here.

        Raises:
            ConfigError: for numbers that differ by more than the tolerance; with the feature and its libraries.
        """
        columns, numbers = _numbers(features, self.hypotheses, self.references)
        if columns != self.columns:
            raise ConfigError(f"model {model!r} is damaged: its check texts are of other features than its own")
        tolerances = [
            max(TOLERANCE, float(getattr(entry.feature, "tolerance", 0)))
            for entry in features.features
            for column in entry.columns
            if column in columns
        ]
        allowed = np.array(tolerances) * (1 + np.abs(self.numbers))
        over = np.argwhere(~(np.abs(numbers - self.numbers) <= allowed))
        if not len(over):
            return
        row, column = (int(place) for place in over[0])
        label = columns[column].partition(".")[0]
        entry = next(entry for entry in features.features if entry.label == label)
        here, then = libraries(entry.feature.requires), self.libraries.get(label, {})
        changed = {name: (then.get(name, "?"), now) for name, now in here.items() if then.get(name) != now}
        what = ", ".join(f"{name} is {now}, the model was made with {old}" for name, (old, now) in changed.items())
        advice = " ".join(f"'{name}=={old}'" for name, (old, _) in changed.items() if name != "meteor_e")
        count = len({at for _, at in over.tolist()})
        raise ConfigError(
            f"model {model!r}: feature {columns[column]!r} gives {numbers[row, column]:.6g} where the model was "
            f"trained with {self.numbers[row, column]:.6g} ({count} of {len(columns)} numbers "
            f"differ by more than {tolerances[column]:g})"
            + (f"; {what}" if what else "; its resources differ from those of the training")
            + (f"; run: pip install {advice}" if advice else "; train the model again")
        )

    def to_json(self) -> dict[str, Any]:
        """Return all but the numbers, for a model file."""
        return {
            "hypotheses": list(self.hypotheses),
            "references": list(self.references),
            "columns": list(self.columns),
            "libraries": self.libraries,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any], numbers: NDArray[Any]) -> CheckTexts:
        """Return what :meth:`to_json` wrote.

        Raises:
            ValueError, KeyError, TypeError: if it is something else.
        """
        texts = [tuple(str(text) for text in data[name]) for name in ("hypotheses", "references", "columns")]
        if not len(texts[0]) == len(texts[1]) == len(numbers) or numbers.shape[1:] != (len(texts[2]),):
            raise ValueError("the check texts do not fit their numbers")
        found = {str(label): {str(k): str(v) for k, v in each.items()} for label, each in data["libraries"].items()}
        return cls(texts[0], texts[1], texts[2], numbers.astype(float), found)


def make_check_texts(features: FeatureSet, language: str) -> CheckTexts:
    """Return check texts of features; for a language without texts of its own, the English ones."""
    hypotheses, references = zip(*_TEXTS.get(language, _TEXTS["en"]), strict=True)
    columns, numbers = _numbers(features, hypotheses, references)
    return CheckTexts(
        hypotheses,
        references,
        columns,
        numbers,
        {entry.label: libraries(entry.feature.requires) for entry in features.features},
    )


def _numbers(
    features: FeatureSet, hypotheses: Sequence[str], references: Sequence[str]
) -> tuple[tuple[str, ...], Floats]:
    tried = FeatureSet([entry for entry in features.features if reads_any_segment(entry.feature)])
    # Any text will do for a source; that of the next segment differs from hypothesis and reference.
    sources = [*references[1:], *references[:1]]
    batch = FeatureBatch(hypotheses, [[reference] for reference in references], sources)
    return tried.columns, tried.extract(batch, FeatureStore(enabled=False))


def reads_any_segment(feature: Feature) -> bool:
    """Return whether a feature needs nothing but texts of the segment, and has a row for any of them."""
    return feature.any_text and {*feature.needs} <= {"hypotheses", "references", "sources"}


def libraries(names: Sequence[str]) -> dict[str, str]:
    """Return the versions of libraries that are installed."""
    found = {}
    for name in names or ("meteor_e",):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
