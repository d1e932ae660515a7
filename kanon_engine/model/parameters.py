"""Parameters that the readers of several families have."""

from kanon_engine.model.family import Parameter

ID = Parameter("id", "Column of the ids.", "column", asked="The codes or names of the areas stand in")
WEIGHT = Parameter("weight", "Column of the counts.", "counts")
UNIT = Parameter("unit", "What the counts count, for sentences: people, births, …")
LAYER = Parameter("layer", "Which layer, of a file with several.")
PER_RECORD = Parameter("per_record", "Each row is one record, or each row has a count.", "flag", off="in-column")
MERGE = Parameter("merge_duplicates", "Take rows with the same id or label as one.", "flag")
