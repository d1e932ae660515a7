"""What leaves, and what a reader takes it for."""
