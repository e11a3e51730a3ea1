from __future__ import annotations

import pytest

from meteor_e import InputError, Meteor
from meteor_e.integrations.trl import meteor_reward

COMPLETIONS = ["he closed the door", "the train leaves"]
REFERENCES = ["he shut the door", "the train leaves today"]


@pytest.fixture
def options(tiny_pack):
    return {"pack": str(tiny_pack), "normalization": "lower"}


def test_texts_and_conversations(options):
    reward = meteor_reward("reference", "en", **options)
    expected = [segment.score for segment in Meteor("en", **options).segments(COMPLETIONS, REFERENCES)]
    assert reward(COMPLETIONS, reference=REFERENCES, prompts=["a", "b"], trainer_state=None) == expected
    messages = [[{"role": "assistant", "content": text}] for text in COMPLETIONS]
    assert reward(prompts=["a", "b"], completions=messages, reference=REFERENCES) == expected
    assert reward.__name__ == "meteor"


@pytest.mark.parametrize("completions", [[[]], [[{"role": "assistant"}]], [3]])
def test_what_is_no_text(completions, options):
    with pytest.raises(InputError):
        meteor_reward("reference", "en", **options)(completions, reference=["a"])


def test_a_missing_column(options):
    with pytest.raises(InputError, match="'answer'"):
        meteor_reward("answer", "en", **options)(COMPLETIONS, reference=REFERENCES)
