"""What a release costs people: measures, stated rules, and attacks that are run against it."""
