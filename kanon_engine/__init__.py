"""k-anonymity: regions, rectangles, bins, tables and clusters of weight >= k, each result with its proof.

Instance → `generalize` → `Generalization` → `verify`; the terms are those of Du, Eppstein, Goodrich and Lueker, "On the
Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering Problem" (2009).
"""

from functools import partial
from importlib import import_module

import lazy_loader

from kanon_engine.model import known
from kanon_engine.version import __version__ as __version__

known.FAMILIES.load = partial(import_module, "kanon_engine.registry")
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)  # the public names are in __init__.pyi
