"""Work on what strangers give, in processes that may fail: forked warm, held to limits, ended at will.

`nursery` forks them and speaks with them, `forked` is their side, `slots` bounds how many there are; `search` and
`searching` are the two sides of a search. Files are read in the same way: see `kanon_engine.io`.
"""
