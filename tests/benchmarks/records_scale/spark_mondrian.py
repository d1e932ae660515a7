"""Mondrian on Spark as it is written elsewhere: records are cut into fragments, and each worker anonymizes its own.

The driver reads a sample, and cuts the first quasi-identifier at its quantiles, one fragment a worker. A worker cuts
its fragment at medians, the widest column first, until no cut leaves k records on both sides. No cut of one worker is
known to another, and nothing is proven of the whole.

References
----------
LeFevre, DeWitt, Ramakrishnan 2006 (Mondrian); De Capitani di Vimercati, Facchinetti, Foresti, Oldani, Paraboschi,
Rossi, Samarati 2021, "Scalable distributed data anonymization" (fragments by quantiles of a sample).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SAMPLE = 10_000  # records from which the driver takes quantiles
EXACT = 1e-6  # relative error of a quantile of the sample


def boxes(values: np.ndarray, spans: np.ndarray, k: int) -> Iterator[np.ndarray]:
    """Positions of the records of each class: strict Mondrian on (n, d) whole numbers, widths relative to `spans`."""
    open_boxes = [np.arange(len(values))]
    while open_boxes:
        box = open_boxes.pop()
        own = values[box]
        widths = (own.max(axis=0) - own.min(axis=0)) / spans
        for column in np.argsort(-widths, kind="stable"):
            below = own[:, column] < np.median(own[:, column])
            if k <= below.sum() <= len(box) - k:
                open_boxes += [box[below], box[~below]]
                break
        else:
            yield box


def anonymized(part: pd.DataFrame, names: Sequence[str], spans: np.ndarray, k: int) -> pd.DataFrame:
    """A fragment with the range of its class in place of each value."""
    values = part[list(names)].to_numpy(np.int64)
    ranges = np.empty(values.shape, dtype=object)
    for box in boxes(values, spans, k):
        least, most = values[box].min(axis=0), values[box].max(axis=0)
        ranges[box] = [f"{low}-{high}" if low < high else f"{low}" for low, high in zip(least, most, strict=True)]
    return part.drop(columns=list(names)).assign(**dict(zip(names, ranges.T, strict=True)))


def mondrian(spark: SparkSession, folder: Path, k: int, fragments: int, destination: Path) -> DataFrame:
    """Records of `made` with ranges of zip codes, ages and sexes in classes of at least k; written, and read again."""
    from pyspark.sql import functions as f

    records = spark.read.parquet(str(folder)).select(
        f.col("zip").cast("int").alias("zip"),
        f.col("age").cast("int").alias("age"),
        (f.col("sex") == "male").cast("int").alias("sex"),
        "illness",
    )
    names = ("zip", "age", "sex")
    ends = records.agg(*(edge(name).alias(f"{edge.__name__}_{name}") for name in names for edge in (f.min, f.max)))
    found = ends.first().asDict()
    spans = np.array([max(found[f"max_{name}"] - found[f"min_{name}"], 1) for name in names])
    sample = records.select("zip").sample(min(1.0, SAMPLE / records.count()), seed=19)
    shares = [place / fragments for place in range(1, fragments)]
    cuts = sample.approxQuantile("zip", shares, EXACT) if shares else []
    fragment = sum(((f.col("zip") >= cut).cast("int") for cut in cuts), f.lit(0))
    schema = "illness string, zip string, age string, sex string"
    parts = records.withColumn("fragment", fragment).groupBy("fragment")
    done = parts.applyInPandas(lambda part: anonymized(part.drop(columns="fragment"), names, spans, k), schema=schema)
    done.write.mode("overwrite").parquet(str(destination))
    return spark.read.parquet(str(destination))
