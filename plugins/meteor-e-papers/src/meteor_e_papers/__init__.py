"""Estimators, features and training recipes that reproduce the learned metrics of three research papers."""
