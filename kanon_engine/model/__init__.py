"""What an instance, an algorithm, a family and a result are."""
