"""Alignment: from candidate matches to the one alignment that is scored."""
