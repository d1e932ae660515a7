"""Files of strangers, read where they can do no harm: a worker process that can open nothing, with limits.

`confined` marks a reader, `nursery` begins the workers, `worker` is what runs in them, `answers` is what comes back,
`limits` is what a file may cost.
"""
