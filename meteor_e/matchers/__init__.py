"""The matchers that meteor_e brings: those of METEOR 1.5, and lemmas."""
