"""The built-in matchers: those of METEOR 1.5, lemmas, and partly similar words and segments."""
