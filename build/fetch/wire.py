"""Every connection that yt-dlp makes, guarded: where it may go, how soon after the last, and when it must end.

yt-dlp's own handler follows redirects wherever they lead. Here each hop is looked at before it is made, and the address
that a name led to before anything is sent, so that a name which changes its mind in between gains nothing.
"""

import functools
import ipaddress
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast
from urllib.parse import urlsplit

import requests
import urllib3.connectionpool
import urllib3.util.retry
from yt_dlp import YoutubeDL
from yt_dlp.networking._requests import RequestsHTTPAdapter, RequestsResponseAdapter, RequestsRH
from yt_dlp.networking.common import Request, RequestDirector
from yt_dlp.networking.exceptions import HTTPError

from build.fetch.urls import private_literal

PAGE_BYTES = 64_000_000  # more than any page that an extractor reads whole; media are read block by block
MAX_REDIRECTS = 10
PORTS = {"http": 80, "https": 443}


class PrivateAddressError(requests.exceptions.RequestException):
    """A server pointed into a private network that the source's own row does not name."""


class OverTimeError(requests.exceptions.RequestException):
    """A song took longer in all than is allowed."""


class EndlessPageError(requests.exceptions.RequestException):
    """A page that an extractor reads whole goes on beyond PAGE_BYTES."""


class Errand:
    """One attempt at one song: what its connections may do, and its sockets, so that it can be called off.

    `retry_after` is that header of the last answer that was a refusal.
    """

    def __init__(self, url: str, before_request: Callable[[str], None]) -> None:
        self._named = {_host_and_port(url)} if private_literal(urlsplit(url).hostname or "") else set()
        self._before_request = before_request
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        self.called_off = False
        self.retry_after: str | None = None

    def admit(self, url: str) -> None:
        """Called before each hop. Raises PrivateAddressError, OverTimeError."""
        self._check_time()
        host, port = _host_and_port(url)
        if private_literal(host) and (host, port) not in self._named:
            raise PrivateAddressError(f"sent on to {host}:{port}, a private address that the source does not name")
        self._before_request(host)

    def connected(self, host: str, port: int, sock: socket.socket, proxied: bool) -> None:
        """Called with the socket of each request, before that is sent. Raises PrivateAddressError, OverTimeError."""
        with self._lock:
            self._sockets.append(sock)
        self._check_time()
        peer = ipaddress.ip_address(sock.getpeername()[0].split("%")[0])
        if not (proxied or peer.is_global or (host, port) in self._named):
            raise PrivateAddressError(f"{host} leads to {peer}, a private address that the source does not name")

    def trust(self, url: str) -> None:
        """Let the attempt go to `url` wherever that is: the site that the source names has named it itself."""
        self._named.add(_host_and_port(url))

    def call_off(self) -> None:
        """End the attempt from outside: its connections break and no new one is made."""
        with self._lock:
            self.called_off = True
            for sock in self._sockets:
                with suppress(OSError):  # closed already
                    socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def _check_time(self) -> None:
        if self.called_off:
            raise OverTimeError("the song as a whole took longer than is allowed: timed out")


def _host_and_port(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return (parts.hostname or "").rstrip("."), parts.port or PORTS.get(parts.scheme, 0)


def _guarded(kind: type, handler: "GuardedRH") -> type:
    """A connection class like `kind` that shows its socket to the handler's errand before every request."""

    class Guarded(kind):
        def request(self, *args: Any, **kwargs: Any) -> None:
            if self.sock is None:
                self.connect()
            handler.errand.connected(self.host, self.port, self.sock, self.proxy is not None)
            super().request(*args, **kwargs)

    Guarded.__name__ = kind.__name__  # which urllib3 quotes in its errors
    return Guarded


class _Adapter(RequestsHTTPAdapter):
    """requests calls an adapter once for every hop of a chain of redirects."""

    def __init__(self, handler: "GuardedRH", **kwargs: Any) -> None:
        self._handler = handler
        super().__init__(**kwargs)

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        self._handler.errand.admit(request.url or "")
        return super().send(request, *args, **kwargs)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = self._handler.pools

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        manager = super().proxy_manager_for(proxy, **kwargs)
        if not proxy.lower().startswith("socks"):
            manager.pool_classes_by_scheme = self._handler.pools
        return manager


def _limited(read: Callable[[int], bytes], amt: int | None = None) -> bytes:
    """`read` of an answer, which read in one go is read up to a limit."""
    if amt is not None:
        return read(amt)
    blocks, size = [], 0
    while block := read(1 << 20):
        blocks.append(block)
        size += len(block)
        if size > PAGE_BYTES:
            raise EndlessPageError(f"a page of more than {PAGE_BYTES} bytes")
    return b"".join(blocks)


class GuardedRH(RequestsRH):
    """yt-dlp's handler of http and https, with every connection under the eyes of the errand in hand."""

    owner: "GuardedYoutubeDL"

    def __init__(self, **kwargs: Any) -> None:
        self.pools = {}
        for pool in (urllib3.connectionpool.HTTPConnectionPool, urllib3.connectionpool.HTTPSConnectionPool):
            guarded = type(pool.__name__, (pool,), {"ConnectionCls": _guarded(pool.ConnectionCls, self)})
            self.pools[pool.scheme] = guarded
        super().__init__(**kwargs)

    @property
    def errand(self) -> Errand:
        """The attempt in hand."""
        return self.owner.errand

    def _create_instance(self, cookiejar: Any, legacy_ssl_support: bool | None = None) -> requests.Session:
        session = super()._create_instance(cookiejar, legacy_ssl_support)
        adapter = _Adapter(
            self,
            ssl_context=self._make_sslcontext(legacy_ssl_support=legacy_ssl_support),
            source_address=self.source_address,
            max_retries=urllib3.util.retry.Retry(False),
        )
        session.max_redirects = MAX_REDIRECTS
        session.mount("https://", adapter)
        session.mount("http://", adapter)
        return cast(requests.Session, session)

    def _send(self, request: Request) -> RequestsResponseAdapter:
        try:
            response = super()._send(request)
        except HTTPError as error:
            self.errand.retry_after = error.response.headers.get("Retry-After")
            raise
        response.read = functools.partial(_limited, response.read)
        return response


class GuardedYoutubeDL(YoutubeDL):
    """yt-dlp with the guarded handler and no other: no ftp, data or file addresses. Set `errand` before each song."""

    errand: Errand

    def build_request_director(self, handlers: Any, preferences: Any = None) -> RequestDirector:
        """The handlers of this instance: the guarded one instead of `handlers`."""
        director = super().build_request_director([GuardedRH], preferences)
        (handler,) = director.handlers.values()
        handler.owner = self
        return director
