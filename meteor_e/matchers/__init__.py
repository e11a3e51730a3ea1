"""The built-in matchers: those of METEOR 1.5, a matcher of lemmas, and matchers of similar words and segments."""
