"""Language models that listen: the rating questions of the papers, asked one at a time, answers kept."""
