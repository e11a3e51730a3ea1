from __future__ import annotations

import pytest

from meteor_e import Meteor, __version__


def test_signature_spells_out_what_decides_the_numbers(own_packs):
    meteor = Meteor("en")
    parts = dict(part.split(":", 1) for part in meteor.signature.split("|"))
    assert parts.pop("pack").startswith("en@")
    assert parts == {
        "meteor_e": __version__,
        "lang": "en",
        "task": "rank",
        "norm": "full",
        "a": "0.85",
        "b": "0.2",
        "g": "0.6",
        "d": "0.75",
        "match": "exact=1.0+stem=0.6(english)+synonym=0.8+paraphrase=0.6",
        "beam": "40",
        "units": "words",
    }


@pytest.mark.parametrize(
    "options",
    [
        {"task": "adq"},
        {"parameters": {"alpha": 0.5}},
        {"matchers": ["exact"]},
        {"matchers": [{"use": "exact", "weight": 0.9}]},
        {"matchers": [{"use": "stem", "stemmer": "german"}]},
        {"normalization": "lower"},
        {"beam": 41},
        {"character_mode": True},
        {"language": "other"},
    ],
)
def test_whatever_changes_the_numbers_changes_the_signature(own_packs, options):
    assert Meteor(**{"language": "en", **options}).signature != Meteor("en").signature
