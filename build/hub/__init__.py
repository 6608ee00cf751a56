"""The way onto the Hub and back: `publish` uploads a built folder, `rebuild` has the audio of a published one anew."""
