"""What people ask of classes besides k: areas that stay together, areas kept apart, barriers."""
