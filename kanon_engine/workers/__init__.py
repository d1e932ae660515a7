"""Searches beside a page: `search` asks a process for a result and follows it, `searching` is the process's side."""
