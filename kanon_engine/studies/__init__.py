"""The experiments of the papers, run again with bounds beside them."""
