"""Records by the billion, and the peers that they are counted and released beside."""
