"""Pictures of sources and targets."""
