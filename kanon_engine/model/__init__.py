"""The types of instances, algorithms, families and results."""
