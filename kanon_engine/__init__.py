"""k-anonymity: regions, rectangles, bins, tables and clusters of weight >= k, each result with its proof.

Instance → `generalize` → `Generalization` → `verify`; the words are those of Du, Eppstein, Goodrich and Lueker, "On the
Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering Problem" (2009).
"""

from kanon_engine.apply import OwnRelease, apply
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.read import read_records
from kanon_engine.disclosure.intersection import Intersection, intersect
from kanon_engine.errors import (
    CertificateError,
    ChoiceNeeded,
    Infeasible,
    InvalidInput,
    KanonError,
    Remedy,
    SearchEnded,
    UnknownAlgorithm,
)
from kanon_engine.generalize import Certificate, generalize, verify
from kanon_engine.io.preview import preview
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.read import read_labels
from kanon_engine.model.algorithm import Algorithm
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.requirement import Closeness, Diversity, Minimum
from kanon_engine.model.run import Progress
from kanon_engine.model.serialize import content_digest
from kanon_engine.model.setting import Setting
from kanon_engine.model.tree import Tree
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.read import read_points
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.read import read_regions
from kanon_engine.registry import algorithms
from kanon_engine.release import release
from kanon_engine.sweep import sweep
from kanon_engine.tables.audit import Audit, audit
from kanon_engine.tables.audit_figures import Finding, Mend
from kanon_engine.tables.instance import Table
from kanon_engine.tables.read import read_table
from kanon_engine.tables.utility import Utility, utility
from kanon_engine.verification.core import Check
from kanon_engine.version import __version__ as __version__

__all__ = [
    "Algorithm",
    "Audit",
    "Certificate",
    "CertificateError",
    "Check",
    "ChoiceNeeded",
    "Closeness",
    "Diversity",
    "Finding",
    "Generalization",
    "Infeasible",
    "Intersection",
    "InvalidInput",
    "KanonError",
    "Labels",
    "Mend",
    "MetricSpace",
    "Minimum",
    "OwnRelease",
    "Points",
    "Progress",
    "Regions",
    "Remedy",
    "SearchEnded",
    "Setting",
    "Table",
    "Tree",
    "UnknownAlgorithm",
    "Utility",
    "algorithms",
    "apply",
    "audit",
    "content_digest",
    "generalize",
    "intersect",
    "preview",
    "read_labels",
    "read_points",
    "read_records",
    "read_regions",
    "read_table",
    "release",
    "sweep",
    "utility",
    "verify",
]
