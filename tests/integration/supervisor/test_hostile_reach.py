# ruff: noqa: E501 - a program a row
"""Programs that reach for the network, the kernel, other processes and secrets."""

import pytest

from tests.integration.inside import Inside
from tests.integration.supervisor.case import Case, ends_as_it_should

pytestmark = pytest.mark.docker

UNTOUCHABLE = """
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
reached = []
for pid in [int(n) for n in os.listdir('/proc') if n.isdigit() and int(n) != os.getpid()]:
    for what, attempt in {
        'kill': lambda: os.kill(pid, 0),
        'stop': lambda: os.kill(pid, signal.SIGSTOP),
        'pidfd': lambda: signal.pidfd_send_signal(os.pidfd_open(pid), 0),
        'priority': lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
        'affinity': lambda: os.sched_setaffinity(pid, {0}),
        'environ': lambda: open(f'/proc/{pid}/environ', 'rb').read(),
        'maps': lambda: open(f'/proc/{pid}/maps').read(),
        'memory': lambda: open(f'/proc/{pid}/mem', 'rb'),
        'files': lambda: os.listdir(f'/proc/{pid}/fd'),
        'root': lambda: os.listdir(f'/proc/{pid}/root'),
        'oom': lambda: open(f'/proc/{pid}/oom_score_adj', 'w').write('0'),
    }.items():
        try:
            attempt()
        except OSError:
            continue
        reached.append((pid, what))
    if libc.ptrace(16, pid, 0, 0) == 0:
        reached.append((pid, 'ptrace'))
print(reached)
"""
FORBIDDEN = """
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
closed = {'io_uring_setup': 425, 'userfaultfd': 323, 'bpf': 321, 'keyctl': 250, 'add_key': 248, 'request_key': 249,
          'perf_event_open': 298, 'unshare': 272, 'mount': 165, 'umount2': 166, 'setns': 308, 'shmget': 29, 'msgget': 68,
          'semget': 64, 'mq_open': 240, 'process_vm_readv': 310, 'process_vm_writev': 311, 'pidfd_getfd': 438,
          'open_by_handle_at': 304, 'init_module': 175, 'kexec_load': 246, 'reboot': 169, 'syslog': 103, 'swapon': 167,
          'pivot_root': 155, 'fsopen': 430, 'personality': 135, 'x32 getpid': 0x40000027}
if os.uname().machine == 'x86_64':
    for name, number in closed.items():
        if libc.syscall(number, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != 1:
            print(name, ctypes.get_errno())
    if libc.syscall(435, 0, 0) != -1 or ctypes.get_errno() != 38:
        print('clone3')
    if libc.syscall(56, 0x10000011, 0, 0, 0, 0) != -1 or ctypes.get_errno() != 1:
        print('clone with a new namespace')
for family in (16, 17, 38, 40):
    try:
        socket.socket(family, socket.SOCK_RAW if family != 40 else socket.SOCK_STREAM)
        print('family', family)
    except OSError as error:
        if error.errno != 1:
            print(family, error)
socket.socketpair()
socket.socket()
print('done')
"""
SECRETS = """
import os
for path in '''/etc/shadow /etc/gshadow /proc/1/environ /proc/1/mem /proc/kcore /proc/keys /proc/kmsg /proc/timer_list
               /proc/kallsyms /proc/sched_debug /dev/mem /dev/kmsg /dev/port /dev/sda /dev/vda /dev/fuse /dev/net/tun
               /sys/firmware/dmi/tables/DMI /sys/kernel/debug /root /run/secrets /var/run/docker.sock
               /run/docker.sock /run/containerd/containerd.sock /proc/1/root /proc/1/cwd'''.split():
    try:
        data = os.listdir(path) if os.path.isdir(path) else open(path, 'rb').read(64)
    except OSError:
        continue
    if data and not (path == '/proc/kallsyms' and data.startswith(b'0000000000000000')):
        print(path, data)
print('done')
"""
SWITCHES = """
import glob
for path in ['/proc/sys/kernel/core_pattern', '/proc/sys/kernel/hostname', '/proc/sys/vm/overcommit_memory',
             '/proc/sys/net/ipv4/ip_forward', '/proc/sysrq-trigger', '/proc/sys/kernel/ns_last_pid',
             '/sys/kernel/mm/transparent_hugepage/enabled', '/sys/power/state', '/etc/hosts', '/etc/resolv.conf',
             '/etc/passwd', '/etc/ld.so.preload', *glob.glob('/sys/fs/cgroup/**/cgroup.procs', recursive=True)]:
    try:
        with open(path, 'a') as file: file.write('1')
    except OSError:
        continue
    print(path)
print('done')
"""
SETUID = """
import os, stat, subprocess
found = []
for top in ('/usr', '/bin', '/sbin', '/opt'):
    for folder, _, names in os.walk(top):
        for name in names:
            path = f'{folder}/{name}'
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID): found.append(path)
before = os.getresuid(), os.getresgid()
for path in found:
    subprocess.run([path], stdin=subprocess.DEVNULL, capture_output=True, timeout=2)
os.chmod(os.open('own', os.O_CREAT), 0o6777)
print(before == (os.getresuid(), os.getresgid()), subprocess.run(['su', '-c', 'id'], capture_output=True).returncode != 0)
"""
WRITABLE = """
import os
found = set()
for folder, folders, names in os.walk('/'):
    folders[:] = [name for name in folders if f'{folder}/{name}'.replace('//', '/') not in ('/proc', '/workspace')]
    for path in (folder, *(f'{folder}/{name}' for name in names)):
        if os.access(path, os.W_OK) and not os.path.islink(path): found.add(path)
own = os.environ['TMPDIR']
print(sorted(path for path in found if not path.startswith(own)))
"""
PLANTED = """
import os
for name in ('sitecustomize.py', 'usercustomize.py', 'json.py', 'os.py', '.pythonrc', '.bashrc', '.profile', '.bash_env',
             '.gitconfig', 'git', 'ls', 'python3', 'matplotlibrc'):
    with open(name, 'w') as file: file.write('raise SystemExit("planted")\\n')
    os.chmod(name, 0o777)
"""
CASES = {
    # network
    "names": Case("import socket; socket.getaddrinfo('example.com', 80)", 1, err=b"gaierror"),
    "an address outside": Case(
        "import socket; socket.create_connection(('192.0.2.1', 80), 5)", 1, err=b"Network is unreachable",
    ),
    "an address of version 6": Case(
        "import socket; socket.create_connection(('2001:db8::1', 80), 5)", 1, err=b"Error",
    ),
    "the address of metadata": Case(
        "import urllib.request; urllib.request.urlopen('http://169.254.169.254/', timeout=5)", 1, err=b"unreachable",
    ),
    "the engine's gateway": Case("import socket; socket.create_connection(('172.17.0.1', 2375), 5)", 1, err=b"unreachable"),
    "loopback": Case("import socket; socket.create_connection(('127.0.0.1', 80), 5)", 1, err=b"refused"),
    "packets to everyone": Case(
        "import socket; socket.socket(2, 2).sendto(b'x', ('255.255.255.255', 9))", 1, err=b"Error",
    ),
    "raw packets": Case("import socket; socket.socket(2, socket.SOCK_RAW, 1)", 1, err=b"Operation not permitted"),
    "echo requests": Case(
        "import socket; s = socket.socket(2, 2, 1); s.sendto(b'\\x08\\0\\0\\0\\0\\0\\0\\0', ('192.0.2.1', 0))", 1, err=b"Error",
    ),
    "interfaces": Case("import os; print(os.listdir('/sys/class/net'))", out=b"['lo']\n"),
    # the kernel
    "system calls": Case(FORBIDDEN, out=b"done\n", err=b""),
    "mounts": Case("mount -t tmpfs none /mnt", 32, err=b"mount", language="bash"),
    "namespaces": Case("unshare -Ur true", 1, err=b"Operation not permitted", language="bash"),
    "another root": Case("import os; os.chroot('/tmp')", 1, err=b"Operation not permitted"),
    "devices": Case(
        "import os, stat; os.mknod('disk', stat.S_IFBLK | 0o666, os.makedev(8, 0))", 1, err=b"Operation not permitted",
    ),
    "the clock": Case("import time; time.clock_settime(time.CLOCK_REALTIME, 0)", 1, err=b"Operation not permitted"),
    "the host's name": Case("import socket; socket.sethostname('mine')", 1, err=b"Operation not permitted"),
    "switches": Case(SWITCHES, out=b"done\n"),
    # privileges
    "becomes root": Case("import os; os.setuid(0)", 1, err=b"Operation not permitted"),
    "becomes another member": Case("import os; os.setresuid(*[os.getuid() + 1] * 3)", 1, err=b"Operation not permitted"),
    "joins another group": Case("import os; os.setgroups([0])", 1, err=b"Operation not permitted"),
    "gives a file away": Case("import os; open('f', 'w'); os.chown('f', 0, 0)", 1, err=b"Operation not permitted"),
    "setuid programs": Case(SETUID, out=b"True True\n"),
    "traced by its parent": Case("import ctypes; print(ctypes.CDLL(None).ptrace(0, 0, 0, 0))", out=b"-1\n"),
    # others
    "others are out of reach": Case(UNTOUCHABLE, out=b"[]\n"),
    "secrets": Case(SECRETS, out=b"done\n"),
    "environment": Case(
        "import os; print(sorted(os.environ))",
        out=b"['GIT_CONFIG_GLOBAL', 'GIT_PAGER', 'GIT_TERMINAL_PROMPT', 'HOME', 'LANG', 'LOGNAME', 'MKL_NUM_THREADS', "
        b"'MPLBACKEND', 'MPLCONFIGDIR', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'PAGER', 'PATH', "
        b"'PYTHONDONTWRITEBYTECODE', 'PYTHONNOUSERSITE', 'PYTHONUNBUFFERED', 'PYTHONUTF8', 'SHELL', 'TERM', 'TMPDIR', "
        b"'USER', 'XDG_CACHE_HOME']\n",
    ),
    "environment of bash": Case("env | grep -c -e BASH_ENV -e LD_ -e HOSTNAME", 1, out=b"0\n", language="bash"),
    "its own process": Case(
        "import os; print([n for n in os.listdir('/proc/self/fd') if n > '2' and os.path.exists(f'/proc/self/fd/{n}')],"
        " open('/proc/self/cmdline').read().count('fencepost'))",
        out=b"[] 0\n",
    ),
    "writes elsewhere": Case("open('/run/new', 'w')", 1, err=b"Read-only file system"),
    "writes to the system": Case("open('/usr/bin/python3', 'r+')", 1, err=b"Permission denied"),
    "places that can be written": Case(
        WRITABLE,
        out=b"['/dev/full', '/dev/mqueue', '/dev/null', '/dev/pts/ptmx', '/dev/random', '/dev/shm', '/dev/tty', '/dev/urandom',"
        b" '/dev/zero', '/tmp']\n",
    ),
    "plants what others might read": Case(PLANTED),
    "and Python does not": Case("import json, os; print(json.dumps(os.sep))", out=b'"/"\n', err=b""),
    "and bash does not": Case("ls / | head -1; git --version | cut -c1-3; python3 -c 'print(5)'", out=b"bin\ngit\n5\n", language="bash"),
    "and is cleared away": Case("import glob, os\nfor name in glob.glob('*', include_hidden=True): os.path.isdir(name) or os.unlink(name)"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_program_ends_as_it_should(inside: Inside, name: str) -> None:
    ends_as_it_should(inside, CASES[name])
