"""The learned metrics of METEOR-E's founding papers, as estimators, features and recipes."""
