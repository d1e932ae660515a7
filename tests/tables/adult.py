"""The Adult sample as the papers' experiments have it."""

from pathlib import Path

import pandas as pd

import kanon_engine as kanon

ADULT = Path(__file__).parents[2] / "sample_data" / "adult.parquet"
EDUCATION = [
    *("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college"),
    *("Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate"),
]
NAMES = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
AGES = {  # how ages are taken together beforehand
    "coarse": lambda age: age // 5,  # 16 ranges, 100 cut values
    "paper": lambda age: (age - 17) // 5,  # 15 ranges, 99 cut values
    "fine": lambda age: age,
}


def adult_table(ages):
    frame = pd.read_parquet(ADULT)
    frame["age"] = AGES[ages](frame["age"])
    return kanon.Table(frame, NAMES, "salary", {"education": EDUCATION})
