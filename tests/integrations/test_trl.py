from __future__ import annotations

import pickle

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


def test_the_last_text_of_the_assistant_is_scored(options):
    reward = pickle.loads(pickle.dumps(meteor_reward("reference", "en", **options)))
    said = {"role": "assistant", "content": COMPLETIONS[0]}
    call, tool = {"role": "assistant", "content": None, "tool_calls": []}, {"role": "tool", "content": REFERENCES[0]}
    parts = {"role": "assistant", "content": [{"type": "text", "text": COMPLETIONS[0]}, {"type": "image"}]}
    (expected,) = reward(COMPLETIONS[:1], reference=REFERENCES[:1])
    completions = [[said, call, tool], [parts], [call, tool], [], [said]]
    references = [*[REFERENCES[0]] * 4, None]
    assert reward(completions, reference=references) == [expected, expected, None, None, None]
    assert 0 < expected < 1


@pytest.mark.parametrize("completions", [["a", "b"], [[{"role": "assistant", "content": 3}]], [3], [["a"]]])
def test_what_is_no_text(completions, options):
    with pytest.raises(InputError):
        meteor_reward("reference", "en", **options)(completions, reference=["a"])


def test_a_missing_column(options):
    with pytest.raises(InputError, match="'answer'"):
        meteor_reward("answer", "en", **options)(COMPLETIONS, reference=REFERENCES)
