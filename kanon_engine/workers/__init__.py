"""Searches in the background of a page: `search` runs on the server, `searching` in the process that searches."""
