"""Attacks that are run against a release, each in a file of its own."""
