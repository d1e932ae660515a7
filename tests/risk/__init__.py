"""What a release costs people: measures, rules, attacks."""
