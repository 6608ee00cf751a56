"""A synthetic GlobalMood, drawn from a seed: songs with sound, charts, elicitation chains and ratings, and their truth.

    moods ──▶ sound ──▶ media files          moods ──▶ expected ratings (truth) ──▶ raters' answers
    songs ──▶ charts                         moods ──▶ chains ──▶ the order of the rated terms

Five latent moods a song drive what it sounds like and what people answer, so that tests can ask whether a pipeline
finds what was put in. `build.sample` writes it all down in the layout of the upstream release.
"""
