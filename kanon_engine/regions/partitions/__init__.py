"""Partitions of a part of the map by searches that look at all of them."""
