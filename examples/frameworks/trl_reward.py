"""TRL: a reward function of GRPOTrainer.

uv run --with trl --with torch==2.13.0 python trl_reward.py

The model here is tiny and random, so that one step runs without a download.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

from meteor_e import load_metric

metric = load_metric("answer-light")


def answer_reward(
    prompts: list[Any], completions: list[Any], references: list[list[str]], **columns: Any
) -> list[float]:
    """Return the probability that each completion answers its prompt, given the column `references`."""
    questions, answers = ([last_content(text) for text in texts] for texts in (prompts, completions))
    return [metric.score(*row).score for row in zip(answers, references, questions, strict=True)]


def last_content(text: Any) -> str:
    """Return a text unchanged, or the content of the last message of a conversation."""
    return text if isinstance(text, str) else text[-1]["content"]


rows = [json.loads(line) for line in Path(__file__).with_name("answers.jsonl").read_text().splitlines()]
vocabulary = dict.fromkeys(word for row in rows for word in (row["question"] + " " + row["answer"]).split())
tokens = {word: index for index, word in enumerate(["<pad>", "<eos>", "<unk>", *vocabulary])}
tokenizer = Tokenizer(models.WordLevel(tokens, unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
config = LlamaConfig(
    vocab_size=len(tokens), hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
    num_key_value_heads=2, pad_token_id=0, eos_token_id=1, bos_token_id=1,
)  # fmt: skip
with tempfile.TemporaryDirectory() as folder:
    trainer = GRPOTrainer(
        model=LlamaForCausalLM(config),
        reward_funcs=answer_reward,
        train_dataset=Dataset.from_list([{"prompt": row["question"], "references": row["references"]} for row in rows]),
        processing_class=PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>"
        ),
        args=GRPOConfig(
            output_dir=folder,
            max_steps=1,
            per_device_train_batch_size=2,
            num_generations=2,
            max_completion_length=4,
            report_to="none",
            use_cpu=True,
            bf16=False,
            save_strategy="no",
        ),
    )
    trainer.train()
print(json.dumps(answer_reward(*([row[name] for row in rows] for name in ("question", "answer", "references")))))
