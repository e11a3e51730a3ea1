"""This package makes METEOR a metric module of Hugging Face ``evaluate``.

>>> import evaluate
>>> from meteor_e.integrations.huggingface import MODULE
>>> metric = evaluate.load(MODULE)
>>> metric.compute(predictions=["the cat sat on the mat"], references=["a cat was sitting on the mat"])
"""

from pathlib import Path

MODULE = str(Path(__file__).with_name("meteor_e_metric.py"))
"""Pass this path to ``evaluate.load``."""

NUMBERS = str(Path(__file__).with_name("meteor_e_numbers.py"))
"""Pass this path to ``evaluate.load`` if all results must be numbers that the caller can average."""
