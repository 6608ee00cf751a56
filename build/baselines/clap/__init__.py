"""CLAP: how near a song and a mood term lie in one space; as it comes, and fine-tuned by the paper's recipe."""
