"""From a cached track of any format to 15 s of sound: `excerpt_songs` is the stage, `ClipOptions` its choices.

track ──window──▶ 15 s at 48 kHz ──policy──▶ at its level ──flac or opus──▶ payload and its row of CLIPS
"""

from build.audio.clips import excerpt_songs
from build.audio.options import ClipOptions

__all__ = ["ClipOptions", "excerpt_songs"]
