"""What leaves the engine holds no more than it says."""

import kanon_engine as kanon
from kanon_engine.labels.export import classes_frame, crosswalk_frame


def test_classes_hold_no_label():
    labels = kanon.Labels(["gout", "flu", "cold"], [1, 5, 4], unit="patients")
    g = kanon.generalize(labels, 5, "fold")
    frame = classes_frame(labels, g)
    assert frame["weight"].tolist() == g.class_weights.tolist()
    assert frame["labels"].sum() == 3
    assert not any(name in frame.to_csv() for name in labels.names)


def test_crosswalk_forgets_the_order_of_the_file():
    labels = kanon.Labels(["gout", 7, "flu", 12, "cold"], [1, 5, 4, 3, 3])
    g = kanon.generalize(labels, 5)
    frame = crosswalk_frame(labels, g)
    assert frame["label"].tolist() == [7, 12, "cold", "flu", "gout"]
    assert dict(frame.values) == dict(zip(labels.names, g.assignment, strict=True))
