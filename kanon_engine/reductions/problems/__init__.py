"""The problems that are known to be hard, one a file."""
