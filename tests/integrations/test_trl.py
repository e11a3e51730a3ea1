from __future__ import annotations

import pickle
import subprocess
import sys
from importlib.util import find_spec

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


TRAINING = """
import sys, torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer
from meteor_e.integrations.trl import meteor_reward

letters = {text: number for number, text in enumerate(["<pad>", "<end>", *sorted(pre_tokenizers.ByteLevel.alphabet())])}
letter = Tokenizer(models.BPE(letters, []))
letter.pre_tokenizer = pre_tokenizers.ByteLevel()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=letter, pad_token="<pad>", eos_token="<end>")
size = dict(vocab_size=len(letters), hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2)
model = LlamaForCausalLM(LlamaConfig(**size, pad_token_id=0, bos_token_id=1, eos_token_id=1))
data = Dataset.from_dict({"prompt": ["say: a"] * 4, "reference": [["a", "b"]] * 4})
settings = dict(num_generations=2, per_device_train_batch_size=2, max_completion_length=4, max_steps=2, logging_steps=1)
arguments = GRPOConfig("out", **settings, report_to=[], use_cpu=True, bf16=False, save_strategy="no")
reward = meteor_reward("reference", "en", pack=sys.argv[1], normalization="lower")
trainer = GRPOTrainer(model, reward, args=arguments, train_dataset=data, processing_class=tokenizer)
trainer.train()
print([0 <= log["rewards/meteor/mean"] <= 1 for log in trainer.state.log_history[:2]])
"""


@pytest.mark.slow
def test_a_trainer(tiny_pack, tmp_path):
    if any(find_spec(name) is None for name in ("trl", "torch", "transformers", "datasets", "accelerate")):
        pytest.skip("TRL is not installed")
    command = [sys.executable, "-W", "ignore", "-c", TRAINING, str(tiny_pack)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == "[True, True]"
