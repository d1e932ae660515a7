# What `import kanon_engine` offers; each name is imported when it is first used (`__init__.py`).

from .apply import OwnRelease, apply
from .clusters.instance import MetricSpace
from .clusters.read import read_records
from .disclosure.intersection import Intersection, intersect
from .errors import (
    CertificateError,
    ChoiceNeeded,
    Infeasible,
    InvalidInput,
    KanonError,
    Remedy,
    SearchEnded,
    UnknownAlgorithm,
)
from .generalize import Certificate, generalize, verify
from .io.preview import preview
from .labels.instance import Labels
from .labels.read import read_labels
from .model.algorithm import Algorithm
from .model.generalization import Generalization
from .model.requirement import Closeness, Diversity, Minimum
from .model.run import Progress
from .model.serialize import content_digest
from .model.setting import Setting
from .model.tree import Tree
from .rectangles.instance import Points
from .rectangles.read import read_points
from .regions.instance import Regions
from .regions.read import read_regions
from .registry import algorithms
from .release import release
from .release.audit import Audit
from .release.audit_figures import Finding, Mend
from .sweep import sweep
from .tables.instance import Table
from .tables.read import read_table
from .tables.release import audit
from .tables.utility import Utility, utility
from .verification.core import Check

__version__: str

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
