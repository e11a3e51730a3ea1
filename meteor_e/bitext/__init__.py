"""Packs from bitext."""
