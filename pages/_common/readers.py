"""The engine's readers, by family."""

import kanon_engine as kanon

READERS = {
    "regions": kanon.read_regions,
    "rectangles": kanon.read_points,
    "labels": kanon.read_labels,
}
