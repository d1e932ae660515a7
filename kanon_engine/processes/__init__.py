"""Processes that may fail: `nursery` forks them warm and speaks with them, `forked` is their side."""
