"""Clusterings that may leave a share of the records out (Aggarwal et al., sections 2.3 and 2.4)."""
