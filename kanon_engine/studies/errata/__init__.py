"""The corrections of docs/errata.md, each played anew: the counterexample, what the paper says of it, what is."""

from __future__ import annotations

from kanon_engine.studies.errata.bins import BINS
from kanon_engine.studies.errata.clusters import CLUSTERS
from kanon_engine.studies.errata.entry import Erratum, Parameter, Played, Row
from kanon_engine.studies.errata.hardness import HARDNESS
from kanon_engine.studies.errata.places import PLACES
from kanon_engine.studies.errata.tables import TABLES

__all__ = ["ERRATA", "Erratum", "Parameter", "Played", "Row"]

ERRATA: tuple[Erratum, ...] = (*PLACES, *BINS, *TABLES, *CLUSTERS, *HARDNESS)
