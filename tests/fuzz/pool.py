"""Processes that try inputs and may die of them.

Each is forked from a process that has compiled and loaded all it needs, writes down which input it is about to try, and
is replaced when it dies. So a signal is counted, and costs a fork.
"""

import mmap
import os
import resource
import select
import signal
import struct
import tempfile
import time
import warnings
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

import numba.core.event

from tests.fuzz.judge import judged

LONGEST = 20.0  # seconds
MEMORY = 2**31  # bytes beyond what the process has when it begins
BLOCK = 400  # inputs that one process tries
STATE = struct.Struct("<qdqq")  # the input under way, since when, how many were accepted and refused
WORDS = 400


@dataclass
class Fault:
    """An input that was not dealt with well."""

    number: int
    sort: str
    case: str  # what was tried
    words: str  # what came of it


@dataclass
class Tally:
    """What became of the inputs."""

    accepted: int = 0
    refused: int = 0
    faults: list[Fault] = field(default_factory=list)

    @property
    def inputs(self):
        return self.accepted + self.refused + len(self.faults)


class Slip:
    """What a process says of itself, in memory that outlives it."""

    def __init__(self):
        self.memory = mmap.mmap(-1, 4096)
        self.number = self.accepted = self.refused = 0
        self.case = ""
        self.began = time.monotonic()
        self.write()

    def write(self):
        self.memory[: STATE.size] = STATE.pack(self.number, self.began, self.accepted, self.refused)

    def begin(self, number):
        self.number, self.began = number, time.monotonic()
        self.write()
        self.tell("")

    def tell(self, case):
        self.case = case
        text = case.encode("utf-8", "replace")[:WORDS]
        self.memory[STATE.size : STATE.size + WORDS] = text.ljust(WORDS, b"\0")

    def read(self):
        self.number, self.began, self.accepted, self.refused = STATE.unpack(self.memory[: STATE.size])
        text = self.memory[STATE.size : STATE.size + WORDS].rstrip(b"\0")
        self.case = text.decode("utf-8", "replace")


class Compiling(numba.core.event.Listener):
    """Leaves out of account the time that is spent on compiling, which is not the input's."""

    def __init__(self, slip):
        self.slip = slip

    def on_start(self, event):
        self.slip.began = time.monotonic() + 600.0
        self.slip.write()

    def on_end(self, event):
        self.slip.began = time.monotonic()
        self.slip.write()


def work(kind, numbers, slip, pipe, folder):
    """Try inputs, in a process of its own."""
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    warnings.simplefilter("ignore")
    numba.core.event.register("numba:compile", Compiling(slip))
    own = Path(tempfile.mkdtemp(dir=folder))
    for number in numbers:
        slip.begin(number)
        try:
            kind.attempt(number, slip.tell, own)
            slip.accepted += 1
        except Exception as error:
            verdict = judged(error)
            slip.refused += verdict is None
            if verdict is not None:
                parts = (str(number), verdict[0], slip.case[:WORDS], verdict[1][:WORDS])
                os.write(pipe, "\t".join(" ".join(part.split()) for part in parts).encode("utf-8", "replace") + b"\n")
        slip.write()


class Worker:
    """A process, and what it has been given to do."""

    def __init__(self, kind, start, stop, folder):
        self.stop, self.slip = stop, Slip()
        self.slip.begin(start)
        self.end, out = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                os.close(self.end)
                work(kind, range(start, stop), self.slip, out, folder)
                code = 0
            finally:
                os._exit(code)
        os.close(out)
        self.rest = b""

    def faults(self):
        """What it has reported since it was last asked."""
        while select.select([self.end], [], [], 0)[0] and (more := os.read(self.end, 65536)):
            self.rest += more
        *lines, self.rest = self.rest.split(b"\n")
        parts = [line.decode("utf-8", "replace").split("\t") for line in lines]
        return [Fault(int(number), *others) for number, *others in parts]

    def ended(self):
        """Its exit code, or minus the signal; None while it works. It is killed where an input takes too long."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        self.slip.read()
        if time.monotonic() - self.slip.began > LONGEST:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            return "hang"
        return None

    def last_fault(self, code):
        """The input that ended it."""
        self.slip.read()
        if code == "hang":
            return Fault(self.slip.number, "hang", self.slip.case, f"longer than {LONGEST:.0f} s")
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return Fault(self.slip.number, "signal", self.slip.case, name)


def run(kind, first, count, jobs=2, report=None):
    """Try so many inputs of a kind."""
    blocks = deque((start, min(start + BLOCK, first + count)) for start in range(first, first + count, BLOCK))
    total, working = Tally(), []
    with tempfile.TemporaryDirectory(prefix="aucmax-fuzz-") as folder:
        while blocks or working:
            while blocks and len(working) < jobs:
                working.append(Worker(kind, *blocks.popleft(), folder))
            time.sleep(0.01)
            for worker in list(working):
                rest = settle(worker, total)
                if rest is not None:
                    working.remove(worker)
                    blocks.extendleft(rest)
                    if report:
                        report(total)
        for fault in total.faults:
            if fault.sort == "signal" and not ends_alone(kind, fault, folder):
                fault.words += ", but not alone: an input before it may have spoilt the memory"
    total.faults.sort(key=lambda fault: fault.number)
    return total


def ends_alone(kind, fault, folder):
    """Whether an input ends a process that has tried no other."""
    worker = Worker(kind, fault.number, fault.number + 1, folder)
    while (code := worker.ended()) is None:
        time.sleep(0.001)
    os.close(worker.end)
    return code != 0


def settle(worker, total):
    """Take in what a process reports; once it has ended, what is left of its inputs, else None."""
    code = worker.ended()
    total.faults += worker.faults()
    if code is None:
        return None
    os.close(worker.end)
    worker.slip.read()
    total.accepted += worker.slip.accepted
    total.refused += worker.slip.refused
    if code == 0:
        return []
    total.faults.append(worker.last_fault(code))
    following = worker.slip.number + 1
    return [(following, worker.stop)] if following < worker.stop else []
