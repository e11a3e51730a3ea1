"""Estimators with the interface of scikit-learn, in one module each."""
