"""What is released, and what a reader takes it for."""
