"""What an officer signs: a review of a release, as a page that needs no network, as a PDF, and as a signed bundle."""
