"""Records counted where they are: files and folders of any size, and tables of databases.

Generalization needs only how many records each distinct value has. An engine counts them where they live, and only the
counts are loaded into memory. `import kanon_engine` loads nothing from here.
"""

from kanon_engine.records.audit import audit, sql_of_audit
from kanon_engine.records.count import count, sql_of_count, tuples
from kanon_engine.records.counted import Tuples, counted
from kanon_engine.records.intersect import Grouping, intersect
from kanon_engine.records.joint import JointGroups, joint_groups, sketch
from kanon_engine.records.release import PushedRelease, release, sql_of_release
from kanon_engine.records.source import Records

__all__ = [
    "Grouping",
    "JointGroups",
    "PushedRelease",
    "Records",
    "Tuples",
    "audit",
    "count",
    "counted",
    "intersect",
    "joint_groups",
    "release",
    "sketch",
    "sql_of_audit",
    "sql_of_count",
    "sql_of_release",
    "tuples",
]
