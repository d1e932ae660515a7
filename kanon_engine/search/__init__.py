"""Exact searches that several families share."""
