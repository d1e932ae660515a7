"""Processes that may fail: `nursery` forks them with imports done and talks to them, `forked` is their side."""
