"""A real SLURM with two nodes on this machine, for the slow tests. Needs root.

python tests/slurm_cluster.py        # starts it and waits for Ctrl-C
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from filelock import FileLock, Timeout

CONFIG = Path("/etc/slurm/slurm.conf")
MARK = "# written by vjmgp's tests"
LOCK = Path("/run/vjmgp-slurm.lock")
"""The machine has one config, so there can be only one cluster."""
PACKAGES = ("slurm-wlm", "munge")
PORTS = {"n1": 6821, "n2": 6822}
TEMPLATE = """{mark}
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=2
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=5
ReturnToService=2
MpiDefault=none
MinJobAge=300
SlurmdTimeout=10
KillWait=2
NodeName=n[1-2] NodeHostname={host} NodeAddr=127.0.0.1 Port=[6821-6822] CPUs=1 RealMemory=8000 State=UNKNOWN
PartitionName=main Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP
"""  # noqa: E501


class CannotStartError(Exception):
    """The reason why SLURM cannot be started."""


def run(*words: str) -> str:
    """Return the output of a command; raise if it fails."""
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    if result.returncode:
        raise CannotStartError(f"{' '.join(words)}: {result.stderr.strip() or result.stdout}")
    return result.stdout


def install() -> None:
    """Install SLURM with apt."""
    if not shutil.which("apt-get"):
        raise CannotStartError("SLURM is not installed, and there is no apt-get")
    words = ("apt-get", "install", "-y", "--no-install-recommends", *PACKAGES)
    try:
        run(*words)
    except CannotStartError:  # a fresh machine has no lists of packages, or old ones
        run("apt-get", "update")
        run(*words)


def stop_leftovers() -> None:
    """Stop the daemons and jobs of a test run that was killed. Its lock must be free."""
    ours = re.search(rf"^{MARK}$.*^StateSaveLocation=(.*)/state$", CONFIG.read_text(), re.M | re.S)
    if not ours:
        raise CannotStartError(f"{CONFIG} is there already, and not ours")
    folder = Path(ours[1])
    for file in folder.glob("*.pid"):
        pid = file.read_text().strip()
        program = Path("/proc", pid, "comm")
        if pid and program.exists() and program.read_text().startswith("slurm"):
            os.kill(int(pid), signal.SIGKILL)
    for node in PORTS:
        kill_jobs(node)
    CONFIG.unlink()
    shutil.rmtree(folder, ignore_errors=True)


def kill_jobs(node: str) -> int:
    """Kill all processes on a node, and return their number."""
    mark, killed = f"SLURMD_NODENAME={node}".encode(), 0
    for path in Path("/proc").glob("[0-9]*"):
        try:
            is_there = mark in (path / "environ").read_bytes().split(b"\0")
            if is_there and int(path.name) != os.getpid():
                os.kill(int(path.name), signal.SIGKILL)
                killed += 1
        except OSError:  # it has ended
            continue
    return killed


class Cluster:
    """Two nodes of one core each."""

    def __init__(self) -> None:
        if os.geteuid():
            raise CannotStartError("starting SLURM needs root")
        if not shutil.which("slurmctld"):
            install()
        self.lock = FileLock(LOCK)
        try:
            self.lock.acquire(timeout=0)
        except Timeout:
            raise CannotStartError("other tests run on a SLURM of this machine") from None
        if CONFIG.exists():
            stop_leftovers()
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-"))
        self.nodes: dict[str, subprocess.Popen[bytes]] = {}
        self.started: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start all daemons and wait until both nodes are idle."""
        host = socket.gethostname().split(".")[0]
        text = TEMPLATE.format(mark=MARK, host=host, folder=self.folder)
        CONFIG.parent.mkdir(exist_ok=True)
        CONFIG.write_text(text)
        for name in ("state", "spool-n1", "spool-n2"):
            (self.folder / name).mkdir()
        Path("/run/munge").mkdir(exist_ok=True)
        shutil.chown("/run/munge", "munge", "munge")
        if subprocess.run(["munge", "-n"], capture_output=True, check=False).returncode:
            self._start("runuser", "-u", "munge", "--", "munged", "--foreground")
            self._wait_for("munge", "-n", saying="MUNGE")
        self._start("slurmctld", "-D")
        for node in PORTS:
            self.start_node(node)
        self._wait_for("sinfo", "-h", "-o", "%T %D", saying="idle 2")

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{words[0]}.out").open("ab") as log:
            process = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)
        self.started.append(process)
        return process

    def _wait_for(self, *words: str, saying: str) -> None:
        for _ in range(240):
            result = subprocess.run(words, capture_output=True, text=True, check=False)
            if saying in result.stdout:
                return
            time.sleep(0.25)
        raise CannotStartError(f"{' '.join(words)} does not say {saying!r}: {result}")

    def start_node(self, node: str) -> None:
        """Start a node's daemon."""
        self.nodes[node] = self._start("slurmd", "-D", "-N", node)

    def kill_node(self, node: str) -> int:
        """Kill a node with its daemon and jobs, and return the number of processes of jobs."""
        self.nodes[node].kill()
        return kill_jobs(node)

    def is_busy(self, node: str) -> bool:
        """Return whether a job runs on a node."""
        return bool(run("squeue", "-h", "-t", "R", "-w", node))

    def queue(self) -> list[str]:
        """Return the waiting and running jobs."""
        return run("squeue", "-h", "-t", "PD,R,CG", "-o", "%i %j %T").splitlines()

    def empty(self) -> None:
        """Cancel all jobs, and bring back nodes that were killed."""
        run("scancel", "-u", "root")
        for node, process in list(self.nodes.items()):
            if process.poll() is not None:
                self.start_node(node)
        self._wait_for("sinfo", "-h", "-o", "%T %D", saying="idle 2")

    def stop(self) -> None:
        """Stop all daemons."""
        subprocess.run(["scontrol", "shutdown"], capture_output=True, check=False)
        for process in self.started:
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for node in PORTS:  # SLURM loses sight of some processes of jobs that it cancels
            kill_jobs(node)
        CONFIG.unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.lock.release()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    cluster = Cluster()
    cluster.start()
    print(f"SLURM is up: {cluster.folder}", flush=True)
    try:
        signal.pause()
    finally:
        cluster.stop()
