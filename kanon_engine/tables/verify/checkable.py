"""What a certificate checks of tables, by field of the details and option; see docs/certificates.md."""

from kanon_engine.verification.checkable import CHECKED, PARTLY, STEERS, UNCHECKED, Entry

CHECKABLE = (
    Entry("IntervalDetails", "intervals", CHECKED, "they hold every value once and make the classes"),
    Entry("IntervalDetails", "cuts", CHECKED, "where the intervals begin"),
    Entry("IntervalDetails", "suppressed", CHECKED, "counted again"),
    Entry(
        "IntervalDetails",
        "curve",
        PARTLY,
        "costs never rise, bounds never fall, the end is the result; what was known on the way there left no trace",
    ),
    Entry("IntervalDetails", "nodes", PARTLY, "the end of the curve; how many they were left no trace"),
    Entry("BoxDetails", "low", CHECKED, "every record lies in its class's box, no two boxes meet"),
    Entry("BoxDetails", "high", CHECKED, "as `low`"),
    Entry("BoxDetails", "rounds", PARTLY, "the end of the curve, and no more than were asked for"),
    Entry(
        "BoxDetails",
        "curve",
        PARTLY,
        "costs never rise, bounds never fall, the end is the result; what was known on the way there left no trace",
    ),
    Entry("CellDetails", "stars", CHECKED, "just the columns in which the records of a class differ"),
    Entry("CellDetails", "suppressed", CHECKED, "counted again"),
    Entry("CellDetails", "nodes", PARTLY, "some, where the bound is a search's word; how many left no trace"),
    Entry("tables", "metric", CHECKED, "the cost is computed again by it"),
    Entry(
        "tables",
        "suppression_limit",
        PARTLY,
        "no more records are left out; a higher limit passes, where the bound holds for that too",
    ),
    Entry("tables", "upper_bound", UNCHECKED, f"{STEERS}, which begins again where it was too low"),
    Entry("tables", "relaxed", PARTLY, "without it no two boxes meet; boxes that do not may be called relaxed"),
    Entry("tables", "rounds", PARTLY, "the curve has no more; how many came after its end left no trace"),
    Entry("tables", "weights", CHECKED, "the loss is computed again by them; other metrics have none"),
    Entry("tables", "threads", UNCHECKED, "what several cores did left no trace"),
    Entry("tables", "restarts", PARTLY, "the curve has no more descents; how many came after its end left no trace"),
)
