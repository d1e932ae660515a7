"""The runs of the algorithms for tables, step by step."""
