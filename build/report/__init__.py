"""Figures of a built dataset, and `report.html`: one page with everything in it, to be opened without a network."""
