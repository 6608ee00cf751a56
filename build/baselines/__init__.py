"""The papers' baselines, and a floor for them: systems that listen, from features to language models.

Each reads a built folder and writes predictions that `python -m build score` takes. What repeats per song (features,
augmentation, embeddings) is a stage: in parallel, kept in the workspace, the same whatever the number of workers.
Models choose nothing by test songs: alphas and epochs are chosen on the published folds of train.
"""
