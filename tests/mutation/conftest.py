"""Nothing here is a test; the modules need the extra `mutation`."""

collect_ignore_glob = ["*.py"]
