"""What a user can choose about excerpts."""

from dataclasses import dataclass

from build.errors import InputError

LOUDNESS_RANGE_LUFS = (-70.0, 0.0)
ALLOWED_POLICIES = {  # by codec, the default first
    "flac": ("limit", "headroom", "peak", "none"),
    "source": ("headroom", "peak", "exact", "none"),
}
WHY_NOT = {
    "limit": "packets that are copied cannot be limited",
    "exact": "16-bit FLAC cannot hold peaks above full scale",
}


@dataclass(frozen=True)
class ClipOptions:
    """How excerpts are drawn, levelled and encoded. `policy` None becomes `limit` for FLAC and `headroom` for `source`.

    Raises InputError for a codec, a policy or a loudness that there is not, or a policy that the codec cannot keep.
    """

    seed: int = 0
    loudness_lufs: float = -5.0
    policy: str | None = None
    codec: str = "flac"

    def __post_init__(self) -> None:
        if self.codec not in ALLOWED_POLICIES:
            raise InputError(f"--codec {self.codec}: allowed are {', '.join(ALLOWED_POLICIES)}")
        lowest, highest = LOUDNESS_RANGE_LUFS
        if not lowest <= self.loudness_lufs <= highest:
            raise InputError(f"--loudness {self.loudness_lufs}: allowed are {lowest:g} to {highest:g} LUFS")
        allowed = ALLOWED_POLICIES[self.codec]
        if self.policy is None:
            object.__setattr__(self, "policy", allowed[0])
        elif self.policy not in allowed:
            why = f" ({WHY_NOT[self.policy]})" if self.policy in WHY_NOT else ""
            raise InputError(f"--policy {self.policy} with --codec {self.codec}{why}: allowed are {', '.join(allowed)}")

    def policy_for(self, codec: str) -> str:
        """The policy of one excerpt; under `--codec source` some are stored as flac, which cannot hold `exact`."""
        policy = str(self.policy)
        return "headroom" if codec == "flac" and policy == "exact" else policy
