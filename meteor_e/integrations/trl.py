"""METEOR as a reward function of TRL, for training with group-relative policy optimization and its like.

>>> from trl import GRPOTrainer
>>> from meteor_e.integrations.trl import meteor_reward
>>> GRPOTrainer(model, reward_funcs=meteor_reward("reference"), train_dataset=dataset)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from meteor_e.base.errors import InputError
from meteor_e.base.texts import listed
from meteor_e.meteor import Meteor

Completion = str | Sequence[dict[str, Any]]


def meteor_reward(column: str = "reference", language: str = "en", **options: Any) -> Callable[..., list[float]]:
    """Make a reward function: the METEOR score of each completion against a column of the data set.

    Args:
        column: the column that holds the reference of each prompt, or a list of references.
        language: ISO code of the language.
        options: further arguments of :class:`~meteor_e.meteor.Meteor`.
    """
    meteor = Meteor(language, **options)

    def reward(completions: Sequence[Completion], **columns: Any) -> list[float]:
        if column not in columns:
            raise InputError(f"the data set has no column {column!r}; name the column of the references")
        texts = map(_text, listed(completions, "completions", "prompt"))
        return [segment.score for segment in meteor.segments(texts, columns[column])]

    # The trainer logs rewards under the function's name.
    reward.__name__ = "meteor"
    return reward


def _text(completion: Completion) -> str:
    """Return a completion's text: the completion itself, or the last message of a conversation."""
    if isinstance(completion, str):
        return completion
    try:
        content = completion[-1]["content"]
    except (IndexError, KeyError, TypeError):
        content = None
    if not isinstance(content, str):
        raise InputError("a completion is a text, or a list of messages that have a text as content")
    return content
