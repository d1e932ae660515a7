"""Tables of records: intervals of columns (Bayardo, Agrawal 2005), suppressed cells (Chakaravarthy et al.)."""
