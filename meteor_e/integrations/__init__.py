"""Integrations of METEOR into nltk, torchmetrics and Hugging Face evaluate."""
