"""Fencepost's executor beside its peers: one command, one run, the same code for each in turn, printed as ratios.

Absolute times are this machine's and this hour's; the ratio between two columns of one run is what is worth quoting.
"""
