"""METEOR as a reward function of TRL, for training with group-relative policy optimization and its like.

>>> from trl import GRPOTrainer
>>> from meteor_e.integrations.trl import meteor_reward
>>> GRPOTrainer(model, reward_funcs=meteor_reward("reference"), train_dataset=dataset)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from meteor_e.base.errors import InputError
from meteor_e.base.texts import listed
from meteor_e.meteor import Meteor

Completion = str | Sequence[dict[str, Any]]


class MeteorReward:
    """A reward function: the METEOR score of each completion against a column of the data set.

    A conversation is scored by the last text of the assistant. A row without such a text, or without a reference, has
    no reward, ``None``, which the trainer leaves out.

    Args:
        column: the column that holds the reference of each prompt, or a list of references.
        language: code of the language.
        options: further arguments of :class:`~meteor_e.meteor.Meteor`.
    """

    def __init__(self, column: str = "reference", language: str = "en", **options: Any) -> None:
        self.column, self.meteor = column, Meteor(language, **options)
        # The trainer logs rewards under the function's name.
        self.__name__ = "meteor"

    def __call__(self, completions: Sequence[Completion], **columns: Any) -> list[float | None]:
        """Return the rewards.

        Raises:
            InputError: if the column is missing, has another number of rows, or holds something else than texts.
        """
        if self.column not in columns:
            raise InputError(f"the data set has no column {self.column!r}; name the column of the references")
        texts = [_text(each) for each in listed(completions, "completions", "prompt")]
        references = list(listed(columns[self.column], f"column {self.column!r}", "prompt"))
        if len(references) != len(texts):
            raise InputError(f"column {self.column!r} has {len(references)} rows for {len(texts)} completions")
        rows = [at for at, text in enumerate(texts) if text is not None and references[at] is not None]
        scores = self.meteor.segments([str(texts[at]) for at in rows], [references[at] for at in rows])
        result: list[float | None] = [None] * len(texts)
        for at, segment in zip(rows, scores, strict=True):
            result[at] = segment.score
        return result


def meteor_reward(column: str = "reference", language: str = "en", **options: Any) -> MeteorReward:
    """Make a :class:`MeteorReward`; the arguments are its own."""
    return MeteorReward(column, language, **options)


def _text(completion: Completion) -> str | None:
    """Return a completion's text: the completion itself, or the last text of the assistant; ``None`` without one."""
    if isinstance(completion, str):
        return completion
    messages = list(listed(completion, "the messages of a completion", "turn"))
    if not all(isinstance(message, dict) for message in messages):
        raise InputError("a completion is a text, or a list of messages")
    for message in reversed(messages):
        content = message.get("content")
        if message.get("role", "assistant") != "assistant" or content is None:
            continue
        if isinstance(content, str):
            return content
        parts: list[Any] = content if isinstance(content, list) else [content]
        if not all(isinstance(part, dict) and isinstance(part.get("text", ""), str) for part in parts):
            raise InputError("the content of a message is a text, or a list of parts with texts")
        if texts := [part["text"] for part in parts if part.get("text")]:
            return " ".join(texts)
    return None
