"""What an officer signs: a review of a release as an offline page, as a PDF, and as a signed bundle."""
