"""Groups that show a box each, an interval of every column, not the same ones everywhere; what they share."""
