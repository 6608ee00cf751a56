"""What a Hub keeps of a repository, and how it tells of a file: for `server`."""

import hashlib
from dataclasses import dataclass, field


def git_hash(content: bytes) -> str:
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()


@dataclass
class Repository:
    """`refs` are branches and tags; commits are never removed. A new one has a commit with its .gitattributes."""

    private: bool
    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    def commit(self, files: dict[str, bytes], message: str) -> str:
        oid = git_hash(f"{message}{len(self.commits)}{sorted(files)}".encode())
        self.commits[oid], self.messages[oid] = files, message
        self.branches["main"] = oid
        return oid

    def resolve(self, revision: str) -> str | None:
        return (
            self.branches.get(revision) or self.tags.get(revision) or (revision if revision in self.commits else None)
        )


def oids(path: str, content: bytes) -> tuple[str, str]:
    """The git oid that a listing shows, and the oid by which a client tells whether a file has changed."""
    blob = git_hash(b"blob %d\0" % len(content) + content)
    return blob, hashlib.sha256(content).hexdigest() if path.endswith(".parquet") else blob


def entry(path: str, content: bytes) -> dict:
    blob, digest = oids(path, content)
    told = {"type": "file", "path": path, "size": len(content), "oid": blob}
    if path.endswith(".parquet"):
        told["lfs"] = {"oid": digest, "size": len(content), "pointerSize": 134}
    return told


def folder(path: str) -> dict:
    return {"type": "directory", "path": path, "oid": git_hash(path.encode()), "size": 0}
