"""A Hub on this machine, for one test: the endpoints that `huggingface_hub` and `datasets` ask for, and no more.

    with serve() as hub:
        os.environ["HF_ENDPOINT"] = hub.url      # of the process that runs the clients
        hub.fail("PUT", "/lfs/", 500)            # the next such request gets a 500

Repositories are held in memory. Writing needs the token TOKEN. Files that end in .parquet go through LFS, all others
inside the commit, as on the Hub.
"""

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from tests.hub.repository import Repository, entry, folder, oids

TOKEN = "hf_" + "test" * 8
CUT = "cut"  # a fault: the connection ends in the middle of the body


@dataclass
class Fault:
    method: str
    path: re.Pattern[str]
    kind: int | str
    times: int


class Hub(ThreadingHTTPServer):
    """The server; `log` holds (method, path, status) of every answer, `repositories` what was published."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.repositories: dict[str, Repository] = {}
        self.objects: dict[str, bytes] = {}
        self.log: list[tuple[str, str, int]] = []
        self.faults: list[Fault] = []
        self.lock = threading.Lock()

    def create(self, name: str, private: bool = False) -> Repository:
        self.repositories[name] = Repository(private)
        self.repositories[name].commit({".gitattributes": b"*.parquet filter=lfs\n"}, "initial commit")
        return self.repositories[name]

    def fail(self, method: str, path: str, kind: int | str, times: int = 1) -> None:
        """Answer the next `times` requests whose path matches the pattern with a status, or cut them off (CUT)."""
        self.faults.append(Fault(method, re.compile(path), kind, times))

    def fault(self, method: str, path: str) -> int | str | None:
        with self.lock:
            for fault in self.faults:
                if fault.times and fault.method == method and fault.path.search(path):
                    fault.times -= 1
                    return fault.kind
        return None

    def asked(self, method: str, path: str) -> int:
        """How many requests with this method and a path that matches were answered or cut off."""
        return sum(one == method and re.search(path, where) is not None for one, where, _ in self.log)


@contextmanager
def serve() -> Iterator[Hub]:
    hub = Hub()
    thread = threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield hub
    finally:
        hub.shutdown()
        thread.join()
        hub.server_close()


class _RefusalError(Exception):
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Hub

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._serve()

    do_HEAD = do_POST = do_PUT = do_GET  # noqa: N815 - names that http.server asks for

    def _serve(self) -> None:
        kind = self.server.fault(self.command, self.path)
        length = int(self.headers.get("Content-Length", 0))
        if kind == CUT and length:
            self.rfile.read(length // 2)
            return self._cut()
        body = self.rfile.read(length)
        if isinstance(kind, int):
            headers = {"Retry-After": "0"} if kind == 429 else {}
            return self._send(kind, b'{"error": "injected"}', headers)
        try:
            self._answer(body, cut=kind == CUT)
        except _RefusalError as no:
            headers = {"X-Error-Code": no.code, "X-Error-Message": no.message}
            self._send(no.status, json.dumps({"error": no.message}).encode(), headers)
        return None

    def _cut(self) -> None:
        self.server.log.append((self.command, self.path, 0))
        self.close_connection = True

    def _send(self, status: int, body: bytes, headers: dict[str, str], length: int | None = None, cut: bool = False):
        if not cut:
            self.server.log.append((self.command, self.path, status))
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command == "HEAD":
            return
        self.wfile.write(body[: len(body) // 2] if cut else body)
        if cut:
            self._cut()

    def _json(self, found: object) -> None:
        self._send(200, json.dumps(found).encode(), {})

    def _answer(self, body: bytes, cut: bool) -> None:
        path = unquote(urlsplit(self.path).path)
        if self.command in ("POST", "PUT") and not path.startswith(("/lfs/", "/api/validate-yaml")):
            reading = "/paths-info/" in path
            if not reading and self.headers.get("Authorization") != f"Bearer {TOKEN}":
                raise _RefusalError(401, "", "Invalid credentials in Authorization header")
        if path == "/api/validate-yaml":
            return self._json({"errors": [], "warnings": []})
        if path == "/api/repos/create":
            return self._create(json.loads(body))
        if path.startswith("/lfs/"):
            return self._store(path.removeprefix("/lfs/"), body)
        if found := re.fullmatch(r"/datasets/([^/]+/[^/]+)\.git/info/lfs/objects/batch", path):
            return self._batch(json.loads(body))
        if found := re.fullmatch(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            return self._file(*found.groups(), cut)
        if found := re.fullmatch(r"/api/datasets/([^/]+/[^/]+)(?:/([a-z-]+)(?:/([^/]+)(?:/(.+))?)?)?", path):
            name, verb, revision, below = found.groups()
            return getattr(self, "_" + (verb or "revision").replace("-", "_"))(name, revision or "main", below, body)
        raise _RefusalError(404, "EntryNotFound", f"no such endpoint: {path}")

    def _repository(self, name: str) -> Repository:
        repository = self.server.repositories.get(name)
        if repository is None or (repository.private and self.headers.get("Authorization") != f"Bearer {TOKEN}"):
            raise _RefusalError(404, "RepoNotFound", f"Repository {name} not found")
        return repository

    def _at(self, name: str, revision: str) -> tuple[Repository, str, dict[str, bytes]]:
        repository = self._repository(name)
        oid = repository.resolve(revision)
        if oid is None:
            raise _RefusalError(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        return repository, oid, repository.commits[oid]

    def _create(self, asked: dict) -> None:
        name = f"{asked['organization']}/{asked['name']}"
        told = json.dumps({"url": f"{self.server.url}/datasets/{name}", "name": name}).encode()
        if name in self.server.repositories:
            return self._send(409, told, {})
        self.server.create(name, asked.get("private") is True or asked.get("visibility") == "private")
        return self._send(200, told, {})

    def _revision(self, name: str, revision: str, below: str | None, body: bytes) -> None:
        repository, oid, files = self._at(name, revision)
        self._json(
            {
                "id": name,
                "sha": oid,
                "private": repository.private,
                "gated": False,
                "disabled": False,
                "tags": [],
                "siblings": [{"rfilename": path} for path in sorted(files)],
            }
        )

    def _refs(self, name: str, *_: object) -> None:
        repository = self._repository(name)

        def told(refs: dict[str, str], kind: str) -> list[dict[str, str]]:
            return [{"name": ref, "ref": f"refs/{kind}/{ref}", "targetCommit": oid} for ref, oid in refs.items()]

        self._json(
            {"branches": told(repository.branches, "heads"), "tags": told(repository.tags, "tags"), "converts": []}
        )

    def _tag(self, name: str, revision: str, below: str | None, body: bytes) -> None:
        repository, oid, _ = self._at(name, revision)
        tag = json.loads(body)["tag"]
        if tag in repository.tags:
            raise _RefusalError(409, "", f"Tag {tag} exists")
        repository.tags[tag] = oid
        self._json({})

    def _tree(self, name: str, revision: str, below: str | None, body: bytes) -> None:
        _, _, files = self._at(name, revision)
        recursive = parse_qs(urlsplit(self.path).query).get("recursive", ["false"])[0].lower() == "true"
        prefix = f"{below}/" if below else ""
        inside = {path.removeprefix(prefix): path for path in files if path.startswith(prefix)}
        if below and not inside:
            raise _RefusalError(404, "EntryNotFound", f"{below} does not exist")
        folders = {"/".join(parts[:n]) for path in inside if (parts := path.split("/")) for n in range(1, len(parts))}
        entries = [folder(prefix + path) for path in sorted(folders) if recursive or "/" not in path]
        entries += [entry(path, files[path]) for rest, path in sorted(inside.items()) if recursive or "/" not in rest]
        self._json(entries)

    def _paths_info(self, name: str, revision: str, below: str | None, body: bytes) -> None:
        _, _, files = self._at(name, revision)
        asked = json.loads(body)["paths"] if body.startswith(b"{") else parse_qs(body.decode())["paths"]
        found = [entry(path, files[path]) for path in asked if path in files]
        found += [folder(path) for path in asked if any(name.startswith(f"{path}/") for name in files)]
        self._json(found)

    def _preupload(self, name: str, revision: str, below: str | None, body: bytes) -> None:
        _, _, files = self._at(name, revision)
        told = []
        for asked in json.loads(body)["files"]:
            path = asked["path"]
            oid = oids(path, files[path])[1] if path in files else None
            mode = "lfs" if path.endswith(".parquet") else "regular"
            told.append({"path": path, "uploadMode": mode, "shouldIgnore": False, "oid": oid})
        self._json({"files": told})

    def _batch(self, asked: dict) -> None:
        told = []
        for one in asked["objects"]:
            upload = (
                {} if one["oid"] in self.server.objects else {"upload": {"href": f"{self.server.url}/lfs/{one['oid']}"}}
            )
            told.append({"oid": one["oid"], "size": one["size"]} | ({"actions": upload} if upload else {}))
        self._json({"transfer": "basic", "objects": told})

    def _store(self, oid: str, body: bytes) -> None:
        if hashlib.sha256(body).hexdigest() != oid:
            raise _RefusalError(400, "", "content does not match its oid")
        self.server.objects[oid] = body
        self._json({})

    def _commit(self, name: str, revision: str, below: str | None, body: bytes) -> None:
        repository, oid, files = self._at(name, revision)
        files, message = dict(files), ""
        for line in map(json.loads, body.splitlines()):
            value = line["value"]
            if line["key"] == "header":
                message = value["summary"]
                if value.get("parentCommit", oid) != oid:
                    raise _RefusalError(412, "", "A commit has happened since. Please refresh and try again.")
            elif line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.server.objects[value["oid"]]
            else:
                del files[value["path"]]
        made = repository.commit(files, message)
        self._json({"commitUrl": f"{self.server.url}/datasets/{name}/commit/{made}", "commitOid": made})

    def _file(self, name: str, revision: str, path: str, cut: bool) -> None:
        _, oid, files = self._at(name, revision)
        if path not in files:
            raise _RefusalError(404, "EntryNotFound", f"{path} does not exist")
        content, etag = files[path], oids(path, files[path])[1]
        headers = {"X-Repo-Commit": oid, "ETag": f'"{etag}"', "Accept-Ranges": "bytes", "Content-Type": "text/plain"}
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not wanted:
            return self._send(200, content, headers, cut=cut)
        start, end = int(wanted[1]), min(int(wanted[2] or len(content)), len(content) - 1)
        headers["Content-Range"] = f"bytes {start}-{end}/{len(content)}"
        return self._send(206, content[start : end + 1], headers, cut=cut)
