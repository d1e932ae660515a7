"""Untrusted files, read where they can do no harm: in a worker process that can open nothing, with limits.

`confined` marks a reader, `nursery` starts the workers, `worker` runs in them, `answers` is what they send back,
`limits` is what a file may cost.
"""
