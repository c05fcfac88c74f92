"""Attacks run in a trial box before a level is reported. The source runs inside the box, so it is a string."""

SOURCE = r'''
import ctypes, errno, os, resource, socket

def attack(secret, service, server, alone, sealed):
    """Names of the attacks that succeeded, between "alive" and "end" to show that they were really run."""
    libc = ctypes.CDLL(None, use_errno=True)
    succeeded = ["alive"]

    def tries(name, action):
        try:
            action()
        except (OSError, ValueError, MemoryError):
            return
        succeeded.append(name)

    def call(*arguments):
        if libc.syscall(*arguments) < 0:
            raise OSError(ctypes.get_errno(), "refused")

    def fork():
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)

    def connect(family, address):
        with socket.socket(family, socket.SOCK_STREAM) as peer:
            peer.settimeout(0.2)
            try:
                peer.connect(address)
            except TimeoutError:
                pass

    def read(path):
        with open(path, "rb") as file:
            file.read(1)

    def write(path):
        with open(path, "ab") as file:
            file.write(b"x")

    arm = os.uname().machine == "aarch64"
    tries("read a file of the service", lambda: read(secret))
    tries("read the service's environment", lambda: read(f"/proc/{service}/environ"))
    tries("read the server's memory", lambda: read(f"/proc/{server}/mem"))
    tries("read /etc/shadow", lambda: read("/etc/shadow"))
    tries("write beside the service's file", lambda: write(secret + ".new"))
    tries("write in the libraries", lambda: write(os.__file__ + ".new"))
    tries("open a TCP socket", lambda: connect(socket.AF_INET, ("127.0.0.1", 9)))
    tries("open a raw socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close())
    tries("open a netlink socket", lambda: socket.socket(16, socket.SOCK_RAW, 0).close())
    tries("execute a program", lambda: os.execv("/bin/true", ["true"]))
    tries("trace a process", lambda: call(117 if arm else 101, 16, service, 0, 0))
    tries("read another memory", lambda: call(270 if arm else 310, service, 0, 0, 0, 0, 0))
    tries("make a namespace", lambda: call(97 if arm else 272, 0x10000000))
    tries("mount", lambda: call(40 if arm else 165, b"none", b"/tmp", b"tmpfs", 0, 0))
    tries("make a memory file", lambda: call(279 if arm else 319, b"x", 0))
    tries("use io_uring", lambda: call(425, 1, 0))
    tries("use bpf", lambda: call(280 if arm else 321, 0, 0, 0))
    tries("signal the service", lambda: os.kill(service, 0) if alone else call(-1))
    tries("raise a limit", lambda: resource.setrlimit(resource.RLIMIT_CORE, (1, 1)))
    tries("limit another process", lambda: resource.prlimit(service, resource.RLIMIT_CORE, (0, 0)))
    tries("become traceable", lambda: call(167 if arm else 157, 4, 1, 0, 0, 0))
    tries("change the user", lambda: os.setuid(0) if os.getuid() else call(-1))
    if alone:
        tries("fork", fork)
        tries("open a UNIX socket", lambda: socket.socket(socket.AF_UNIX).close())
    if not sealed:
        try:
            read(os.__file__)
            write(os.environ["HOME"] + "/own")
        except OSError as error:
            succeeded.append(f"(what it needs is out of reach: {error})")
    succeeded.append("end")
    return succeeded
'''
