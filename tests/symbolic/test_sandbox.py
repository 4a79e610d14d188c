"""A worker answers many requests, and stops what takes too much time or memory or dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from disproof.symbolic.errors import Location, RuleError
from disproof.symbolic.growth import blame
from disproof.symbolic.rulebook import load
from disproof.symbolic.sandbox import Worker, run_limited

pytestmark = pytest.mark.slow

# The worker imports its functions by name, which a test module does not have under importlib mode.
JOBS = """
import os, socket, subprocess, sys, time
import clingo
from disproof.symbolic.errors import Location, RuleError
from disproof.symbolic.rulebook import load

def ground(path):
    return grounder(path)("")[1]

def grounder(path):
    text = " ".join(rule.text for rule in load([path]).rules)
    def handler(facts):
        control = clingo.Control()
        control.add("base", [], text + facts)
        control.ground([("base", [])])
        return os.getpid(), len(control.symbolic_atoms)
    return handler

def obey():
    def handler(order):
        order = (order,) if isinstance(order, int) else order
        if order == "memory":
            return len(bytearray(600_000_000))
        if order == "rule":
            raise RuleError("it is wrong", Location("a.lp", 3))
        if order == "defect":
            raise KeyError("a defect")
        if order == "exit":
            os._exit(3)
        if order == "abort":
            os.abort()
        if order == "sleep":
            time.sleep(60)
        if order == "print":
            print("noise"); sys.stdout.flush(); os.write(1, b"noise")
        if order[0] == "read":
            return open(order[1] + "/there").read()
        if order[0] == "write":
            open(order[1] + "/made", "w").close()
        if order[0] == "connect":
            socket.socket()
        if order[0] == "start":
            subprocess.run(["touch", order[1] + "/made"])
        return os.getpid(), order
    return handler

def refuse():
    raise RuleError("cannot be set up")

def double(x):
    return 2 * x
"""


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("jobs")
    (folder / "sandbox_jobs.py").write_text(JOBS)
    sys.path.append(str(folder))
    import importlib

    yield importlib.import_module("sandbox_jobs")
    sys.path.remove(str(folder))


@pytest.fixture
def worker(jobs: Any) -> Iterator[Worker]:
    with Worker(jobs.obey, seconds=1, memory_mb=256) as made:
        yield made


def rules(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "user.lp"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text",
    ["f(0).\n%!rule counts\nf(N+1) :- f(N).\n", "%!rule counts\nf(1..2000000000).\n"],
)
def test_a_rule_that_grounds_for_ever_is_stopped_and_named(jobs: Any, tmp_path: Path, text: str) -> None:
    path = rules(tmp_path, text)
    start = time.monotonic()
    with pytest.raises(RuleError) as caught:
        run_limited(jobs.ground, (path,), seconds=1, memory_mb=512, blame=lambda: blame(load([path]).rules))
    assert time.monotonic() - start < 60
    assert "grounding the rules" in caught.value.message
    assert "'counts'" in caught.value.message
    assert "\n" not in str(caught.value)


def test_cpu_time_runs_out_after_the_limit(jobs: Any, tmp_path: Path) -> None:
    path = rules(tmp_path, "p :- X = 1..30000, Y = 1..30000, X * Y = -1.\n")
    with pytest.raises(RuleError, match=r"was stopped after 0\.5 s of CPU time$"):
        run_limited(jobs.ground, (path,), seconds=0.5)


def test_a_worker_is_set_up_once_and_answers_many_requests(jobs: Any, tmp_path: Path) -> None:
    path = rules(tmp_path, "p(X) :- q(X).\n")
    with Worker(jobs.grounder, (path,), seconds=5) as worker:
        answers = [worker.call(f"q(1..{n}).") for n in range(1, 6)]
    assert [count for _, count in answers] == [2, 4, 6, 8, 10]
    assert len({process for process, _ in answers}) == 1
    assert answers[0][0] != os.getpid()


def test_the_time_of_earlier_requests_does_not_count(jobs: Any, tmp_path: Path) -> None:
    path = rules(tmp_path, "p(X,Y) :- q(X), q(Y), X + Y < 0.\n")
    with Worker(jobs.grounder, (path,), seconds=1) as worker:
        assert len({worker.call("q(1..2500).")[0] for _ in range(8)}) == 1


def test_a_worker_starts_again_after_each_way_to_die(worker: Worker) -> None:
    first, _ = worker.call(1)
    for order, says in [("memory", "256 MB of memory"), ("exit", "died"), ("abort", "died")]:
        with pytest.raises(RuleError, match=says):
            worker.call(order)
        process, answer = worker.call(order.upper())
        assert answer == order.upper()
        assert process != first


def test_a_killed_worker_is_started_again(worker: Worker) -> None:
    process, _ = worker.call(1)
    os.kill(process, signal.SIGKILL)
    time.sleep(0.2)
    assert worker.call(2)[1] == (2,)


def test_a_worker_that_hangs_without_using_the_cpu_is_stopped(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disproof.symbolic.sandbox._GRACE", 0.0)
    worker.call(1)
    worker.seconds = 0.1
    with pytest.raises(RuleError, match="without an answer"):
        worker.call("sleep")


def test_errors_about_the_input_arrive_whole_and_leave_the_worker_alive(worker: Worker) -> None:
    process, _ = worker.call(1)
    with pytest.raises(RuleError) as caught:
        worker.call("rule")
    assert caught.value.location == Location("a.lp", 3)
    assert str(caught.value) == "a.lp:3: it is wrong"
    assert worker.call(2)[0] == process


def test_a_defect_is_no_error_of_the_user(worker: Worker) -> None:
    with pytest.raises(RuntimeError, match="KeyError: 'a defect'"):
        worker.call("defect")
    assert worker.call(2)[1] == (2,)


def test_what_a_worker_prints_disturbs_nothing(worker: Worker, capfd: pytest.CaptureFixture[str]) -> None:
    assert worker.call("print")[1] == "print"
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("order", ["read", "write", "connect", "start"])
def test_a_worker_can_open_no_file_and_no_socket_and_start_no_program(
    worker: Worker, tmp_path: Path, order: str
) -> None:
    (tmp_path / "there").write_text("secret")
    with pytest.raises(RuntimeError, match="Too many open files"):
        worker.call((order, str(tmp_path)))
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_a_set_up_that_fails_says_why_each_time(jobs: Any) -> None:
    with Worker(jobs.refuse) as worker:
        for _ in range(2):
            with pytest.raises(RuleError, match="cannot be set up"):
                worker.call(1)


def test_a_closed_worker_leaves_no_process(jobs: Any) -> None:
    worker = Worker(jobs.obey)
    process, _ = worker.call(1)
    assert "process" in repr(worker)
    worker.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert "not started" in repr(worker)


def test_a_script_without_a_main_guard_can_use_it(jobs: Any, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sandbox_jobs\nfrom disproof.symbolic.sandbox import run_limited\n"
        "print(run_limited(sandbox_jobs.double, (21,)))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "42\n", done.stderr
