"""Estimators of papers on learned metrics, as the papers have them; recipes name them where this is installed."""
