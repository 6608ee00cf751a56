"""CLAP: how near a song and a mood term lie in one space; as it comes, and fine-tuned by the paper's recipe."""

WEIGHTS = "laion/larger_clap_music_and_speech"  # on the Hub, where nothing else is asked for
