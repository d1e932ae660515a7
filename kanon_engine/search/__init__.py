"""Exact searches shared by several families."""
