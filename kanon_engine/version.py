"""The version of kanon."""

__version__ = "0.1.0"
