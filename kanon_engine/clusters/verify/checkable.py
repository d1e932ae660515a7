"""What a certificate checks of clusterings, by field of the details and option; see docs/certificates.md."""

from kanon_engine.verification.checkable import CHECKED, PARTLY, STEERS, UNCHECKED, Entry

CHECKABLE = (
    Entry("ClusterDetails", "places", CHECKED, "they are points, and distances are taken from them"),
    Entry("ClusterDetails", "centers", CHECKED, "distances are taken from them; those of points are the points'"),
    Entry("ClusterDetails", "radii", CHECKED, "the largest distance of a member is worked out again"),
    Entry("ClusterDetails", "prices", CHECKED, "what they prove is worked out again"),
    Entry("ClusterDetails", "curve", PARTLY, "its last row is the result; how the search came there leaves no trace"),
    Entry("clusters", "cost", CHECKED, "that cost is worked out again"),
    Entry(
        "clusters", "centers", PARTLY, "every center is a point, or the mean of its members, where that was asked for"
    ),
    Entry("clusters", "epsilon", PARTLY, "no more records are left out, and the bound allows for as many"),
    Entry("clusters", "max_clusters", PARTLY, "there are no more classes, and the bound allows for as many"),
    Entry("clusters", "facility_cost", CHECKED, "it is part of the cost that is worked out again"),
    Entry("clusters", "gamma", UNCHECKED, STEERS),
    Entry("clusters", "improve", UNCHECKED, STEERS),
)
