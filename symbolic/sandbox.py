"""A worker process with limits, in which rules of strangers are grounded and solved.

clingo cannot be interrupted while it grounds and a rule can ground for ever, so a limit needs a process that can be
killed. A :class:`Worker` starts once, sets itself up (it loads the rule book itself: syntax trees cannot be sent),
answers many requests and is started again after a kill. CPU time is limited per request by a timer of the kernel, so a
busy machine does not stop an innocent rule; memory by the size of the address space; and once set up it can open no
file and no socket. Only Linux and macOS have these limits (macOS not that of memory).

``growth.blame`` names the rules that can ground for ever, as far as their text shows it.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from .errors import DisproofError, RuleError

_FACTOR: Final = 4  # a worker that does not answer in this many times its CPU limit of wall time hangs
_GRACE: Final = 10.0
_SETUP: Final = 5.0  # CPU time that the set-up may take beyond the limit: it imports
# The worker finds this package as its parent did, whatever the import path was.
_BOOT: Final = (
    "import sys, importlib; name, descriptor, *sys.path[:] = sys.argv[1:];"
    " importlib.import_module(name).serve(int(descriptor))"
)


class Worker:
    """A process that was set up by ``setup(*args)`` and answers requests with what that returned.

    ``setup`` is a function of a module (not a lambda), and it, its arguments, requests and answers can be pickled.
    ``seconds`` of CPU time and ``memory_mb`` of memory beyond what the set-up took are the limits of one request (the
    set-up gets a little more). ``doing`` says in messages what was stopped ("grounding the rules"), and ``blame`` gives
    what is known of the cause when a limit is hit. A ``sealed`` worker can open nothing once it is set up, so the
    module of ``setup`` must import all that requests need.
    """

    def __init__(
        self,
        setup: Callable[..., Callable[[Any], Any]],
        args: Sequence[Any] = (),
        *,
        seconds: float = 10.0,
        memory_mb: int = 2048,
        doing: str = "grounding the rules",
        blame: Callable[[], str] | None = None,
        sealed: bool = True,
    ) -> None:
        self.seconds = seconds
        self.memory_mb = memory_mb
        self.doing = doing
        self.blame = blame
        self.sealed = sealed
        self._setup = (setup, tuple(args))
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        state = f"process {self._process.pid}" if self._process else "not started"
        return f"Worker({self._setup[0].__name__}, {self.seconds:g} s, {self.memory_mb} MB, {state})"

    def __del__(self) -> None:
        if hasattr(self, "_process"):  # absent where __init__ was refused its arguments
            self.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, request: Any) -> Any:
        """The worker's answer to one request; it is started where it is not running.

        Raises:
            RuleError: a limit was hit, or the worker died. The next call starts a new one.
            DisproofError: what the handler (or the set-up) raised.
            RuntimeError: anything else that the handler raised, with its traceback.
        """
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._start()
            return self._exchange(request)

    def close(self) -> None:
        """End the worker's process."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _start(self) -> None:
        self.close()
        ours, theirs = socket.socketpair()
        package = __name__
        command = [sys.executable, "-B", "-c", _BOOT, package, str(theirs.fileno()), *sys.path]
        with theirs:
            # One thread each: a pool of threads would reserve memory that counts against the limit.
            environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
            self._process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
        self._connection = Connection(ours.detach())
        try:
            self._exchange((*self._setup, self.seconds, self.memory_mb, self.sealed))
        except BaseException:
            self.close()
            raise

    def _exchange(self, message: Any) -> Any:
        assert self._connection is not None
        try:
            self._connection.send(message)
            if not self._connection.poll(self.seconds * _FACTOR + _GRACE):
                raise RuleError(self._stopped("hangs"))
            kind, value = self._connection.recv()
        except (EOFError, OSError) as error:
            # Only a dead worker closes its end; how it died is in its status.
            raise RuleError(self._stopped(self._death())) from error
        except BaseException:
            self.close()  # an answer may still come: it would be taken for that of the next request
            raise
        if kind == "answer":
            return value
        if kind == "memory":
            raise RuleError(self._stopped("memory"))
        if kind == "failure":
            self.close()
        if isinstance(value, BaseException):
            raise value
        raise RuntimeError(f"a worker failed:\n{value}")

    def _death(self) -> str:
        if self._process is None:
            return "died"
        try:
            code = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            return "hangs"
        return "time" if code in (-signal.SIGPROF, -signal.SIGXCPU) else "died"

    def _stopped(self, how: str) -> str:
        self.close()
        reason = {
            "time": f"was stopped after {self.seconds:g} s of CPU time",
            "hangs": f"was stopped after {self.seconds * _FACTOR + _GRACE:g} s without an answer",
            "memory": f"was stopped at {self.memory_mb} MB of memory",
        }.get(how, f"died, most likely for want of memory (the limit is {self.memory_mb} MB)")
        cause = self.blame() if self.blame is not None else ""
        return f"{self.doing} {reason}" + (f"; {cause}" if cause else "")


def run_limited(
    function: Callable[..., Any],
    args: Sequence[Any] = (),
    seconds: float = 10.0,
    memory_mb: int = 2048,
    *,
    doing: str = "grounding the rules",
    blame: Callable[[], str] | None = None,
) -> Any:
    """``function(*args)``, called once in a worker process of its own; see :class:`Worker` for limits and errors.

    The function may read files (a rule book, say); it cannot write any.
    """
    worker = Worker(_once, (function,), seconds=seconds, memory_mb=memory_mb, doing=doing, blame=blame, sealed=False)
    with worker:
        return worker.call(tuple(args))


def _once(function: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda args: function(*args)


def serve(descriptor: int) -> None:
    """The worker's side: set up, then answer until the connection closes."""
    # A limit that runs out must end the process at once, also inside clingo: no handler of Python's would run there.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the parent decides
    connection = Connection(descriptor)
    setup, args, seconds, memory_mb, sealed = connection.recv()
    signal.setitimer(signal.ITIMER_PROF, seconds + _SETUP)
    _limit_memory(memory_mb)
    handler = _answer(connection, lambda _: setup(*args), None, keep=True)
    if handler is None:
        return
    _limit_memory(memory_mb)
    # Rules open no file and no socket; with these limits a defect of their interpreter cannot either.
    if sealed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while True:
        signal.setitimer(signal.ITIMER_PROF, 0)
        try:
            request = connection.recv()
        except EOFError:
            return
        except Exception:
            connection.send(("failure", traceback.format_exc()))
            return
        signal.setitimer(signal.ITIMER_PROF, seconds)
        if _answer(connection, handler, request) is None:
            return


def _answer(connection: Connection, handler: Callable[[Any], Any], request: Any, keep: bool = False) -> Any:
    """Send the handler's answer; None after a failure that leaves the worker unusable (the process then ends)."""
    try:
        answer = handler(request)
        connection.send(("answer", None if keep else answer))
        return answer if keep else True
    except DisproofError as error:
        connection.send(("error", error))
        return None if keep else True
    except MemoryError:
        connection.send(("memory", None))
    except RuntimeError as error:
        # clingo reports exhausted memory as a plain runtime error
        if "bad_alloc" in str(error) or "memory" in str(error).lower():
            connection.send(("memory", None))
        else:
            connection.send(("failure", traceback.format_exc()))
    except Exception:
        connection.send(("failure", traceback.format_exc()))
    return None


def _limit_memory(megabytes: int) -> None:
    """Allow this much address space beyond what the process has now."""
    try:
        now = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    except OSError:
        return  # no such file, no such limit (macOS)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = now + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
