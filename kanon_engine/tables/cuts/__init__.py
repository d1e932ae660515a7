"""Cuts of columns: what they induce and what they cost, as arrays that kernels work on."""
