"""The estimators: scikit-learn's manner, one module each."""
