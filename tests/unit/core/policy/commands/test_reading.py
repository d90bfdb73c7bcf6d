"""The command table: which arguments it understands, and what each of them is."""

import shlex

import pytest

from bot.core.policy.commands.reading import inner_of, parts_of
from bot.core.policy.commands.roles import host_of
from bot.core.policy.commands.table import plain_name, sets, table
from bot.core.policy.decision import Argument
from bot.core.policy.shell.analysis import facts_of


def argv(code: str) -> tuple[Argument, ...]:
    return facts_of(code)[0].argv or tuple(shlex.split(code))


UNDERSTOOD = r"""
ls -la --color=never src /usr/bin
cat -n a /workspace/b /tmp/c /etc/os-release -
head -n 5 a
head -5 "$f"
cut -d: -f1,7 /etc/passwd
tr a-z A-Z
echo -n "$x" $y *.txt ~
wc -l *.py
wc -l "$f"
grep -rn TODO src
grep -rne TODO -e FIXME src
grep --regexp=x a
echo "$x/../y"
wget -O out https://a.example/
grep -A3 --include='*.py' x .
grep -m 5 "$x" a
grep -- -x a
grep -5 x a
sort -t, -k2,2 -rnu a b
sort -rnk2 a
sort --key=2 data/*.csv
sort -- a
uniq -c
uniq -f1 a
du -sh *
df -h /
stat -c %s a
date -u +%F
date -d yesterday +%s
printf '%05.2f\n' 3 "$x" $y
printf -- '%s' a
printf '100%%n'
seq 1 10
sleep 0.2
uname -a
set -euo pipefail
set -o pipefail
cd src/x
read -r -p 'name? ' a b
test -f a
command -v git jq
python3 --version
/bin/ls -l
/usr/bin/sort a
sha256sum "$f"
diff -u a b
sed -n 5p a
sed -n '1,20p;$p' a b
awk '{print $1}' a
awk -F, '{s+=$2} END {print s, NR}' a
awk -F ':' 'NR > 1 && $2 != "x" {printf "%s\n", toupper($1)}' a
awk '/^error: 5/ {n++} END {print n}' a
awk '{ if (NF) count[$1]++ } END { print length(count) }' a
jq -r '.items[].name' a
jq . a b
jq -c '.a | keys, length' a
jq '.["a b"][0:2]?' a
jq --version
find . -name '*.py' -mtime -2
find src tests -maxdepth 2 -type f ! -name x -print
find . \( -name a -o -name b \) -size +1k
find src/* -newer a
timeout 5 ls
timeout 1.5s cat a
nice ls
nice -n 5 ls
nice -5 ls
git status -sb
git log --oneline -5 --format='%h %s' main..HEAD
git log -n 3 -- src/a
git diff --stat HEAD~1
git show HEAD:a --stat
git branch -a
git rev-parse --abbrev-ref HEAD
git --version
tee -a /tmp/x
touch a
mkdir -p /tmp/a/b
curl -sSL -H 'Accept: x' -o out https://a.example/x
wget -qO- https://a.example/
exit 3
"""

ASKED = r"""
cat /etc/shadow
cat ../a
cat a/../../b
cat /proc/self/environ
cat ~/.ssh/id_rsa
cat "$x/../y"
sort -k
awk '{{{{ print }}}}'
cd "$x"
cat "/etc/$x"
cat /etc/*
head --bytes=5 /root/x
ls /proc
ls /root
ls /proc/*
wc --files0-from=a
grep -f a b
grep --file=a b
grep --fil=a b
grep -r x /etc/shadow
grep -e x /etc/shadow
sort -o a b
sort -oa b
sort --output=a b
sort --outp=a b
sort --compress-program=x a
sort *
sort "$f"
sort $f
sort -S 1G a
sort -T /etc a
sort --files0-from=a
uniq a b
uniq a -c b
du --files0-from=x
date -s 10:00
date 01010000
date -f a
printf -v x a
printf "$x"
printf -vPATH a
printf %n x
printf %5n x
set -o posix
set -- a
cd
cd -
cd ..
cd /
cd "$x"
cd a b
read -a x
read 'a[0]'
read -u3 x
command ls
command -p ls
python3 a.py
python3
bash
bash -c id
/usr/local/bin/ls
./ls
/bin/cd
sha256sum -c a
diff --to-file=x a
hostname evil
sed 5p a
sed -n 5p -i a
sed -n -i 5p a
sed -n '1e id' a
sed -n '1,5p;1e id' a
sed -n 5w/tmp/x a
sed -n 5p *.py
sed -n "$x" a
sed -ni 5p a
sed -n -f a b
sed -n 's/a/b/p' a
awk 'BEGIN{system("id")}'
awk '{print > "/tmp/x"}' a
awk '{print $1 >> f}' a
awk '{print | "sh"}' a
awk '{"id" | getline; print}' a
awk '{while ((getline x < "/etc/shadow") > 0) print x}'
awk 'BEGIN{f="system"; @f("id")}'
awk 'BEGIN{print ENVIRON["A"]}'
awk -f a b
awk -v x=1 '{print x}' a
awk '{print}' FS=x a
awk "{print $x}" a
awk '@load "x"' a
awk '{print close("a")}' a
awk '{printf("%s", $1) > "x"}' a
awk '{print -->"x"}' a
awk -E a
awk
jq -n --rawfile s /etc/shadow '$s'
jq env a
jq 'input' a
jq '$ENV' a
jq -f a b
jq -L x . a
jq 'include "x"; .' a
jq '"\(env)"' a
jq --slurpfile x a .
jq "$x" a
find . -delete
find . -exec id \;
find . -execdir id \;
find . -ok id \;
find . -fprintf x y
find . -fls x
find . $x
find "$x"
find *
find -files0-from /etc/shadow
find . -newer /proc/x
find / -name x -fprint y
find . -name
timeout 5 "$x"
timeout -k 1 5 ls
timeout 5 -x
timeout --foreground 5 ls
nice -n "$x" ls
nice
git push
git -c core.pager=x log
git -C /etc status
git --git-dir=x status
git branch -D main
git branch new
git diff --no-index a b
git diff /etc/passwd /etc/shadow
git diff --ext-diff
git log --output=x
git log --oneline --outp=x
git log "$x"
git show $x
git grep -Ovi x
git config a b
git tag v1
git remote add x y
git diff ../x
tee
tee "$x"
touch ../x
curl -K a
curl -d @a https://a.example/
curl -H @a https://a.example/
curl file:///etc/passwd
curl https://a.example/ https://b.example/
curl 'https://{a,b}.example/'
curl https://user:x@a.example/
curl "$x"
curl -x http://p https://a.example/
wget https://a.example/
wget -i a
wget -qO- --post-file=a https://a.example/
xargs ls
env ls
sudo ls
eval ls
. a
source a
exec ls
trap ls EXIT
hash -p a ls
enable -f a b
alias ls=x
mapfile -C x a
ls2
сat a
"""


@pytest.mark.parametrize("code", UNDERSTOOD.strip().split("\n"))
def test_understood(code: str) -> None:
    assert parts_of(argv(code)) is not None


@pytest.mark.parametrize("code", ASKED.strip().split("\n"))
def test_not_understood(code: str) -> None:
    assert parts_of(argv(code)) is None


@pytest.mark.parametrize(
    ("code", "runs"),
    [
        ("timeout 5 ls -l", ("ls", "-l")),
        ("nice -n 3 timeout 5 ls", ("timeout", "5", "ls")),
        ("/usr/bin/timeout 5 ls", ("ls",)),
        ("nice ls", ("ls",)),
        ("env ls", None),
        ("ls", None),
        ("timeout 5 A=1", None),
    ],
)
def test_what_a_wrapper_runs(code: str, runs: tuple[str, ...] | None) -> None:
    assert inner_of(argv(code)) == runs


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://api.example.com/x?y#z", "api.example.com"),
        ("HTTPS://api.example.com", None),
        ("https://API.example.com.", "api.example.com"),
        ("http://a.example:80/", "a.example"),
        ("https://a.example:80/", "a.example:80"),
        ("https://a.example:443", "a.example"),
        ("https://a.example@evil.test/", None),
        ("https://a.example:x@evil.test/", None),
        ("https://evil.test#@a.example/", "evil.test"),
        ("https://evil.test\\@a.example/", None),
        ("https://[::1]/", None),
        ("https://a.example:99999/", None),
        ("ftp://a.example/", None),
        ("a.example", None),
        ("https://", None),
        ("https://a..example/", None),
        ("https://аpple.example/", None),
    ],
)
def test_hosts_are_parsed(url: str, host: str | None) -> None:
    assert host_of(url) == host


def test_names_of_programs() -> None:
    assert plain_name("/bin/ls") == plain_name("/usr/bin/ls") == "ls"
    assert plain_name("/bin/cd") == "/bin/cd"
    assert plain_name("/tmp/ls") == "/tmp/ls"
    assert plain_name("./ls") == "./ls"


def test_the_table_is_whole() -> None:
    assert {"@print", "@git", "@files", "@fetch"} == set(sets())
    for name, entry in table().items():
        assert entry.parser or entry.subs or entry.operands or entry.most == 0, name
        assert not (entry.args and (entry.flags or entry.letters or entry.valued)), name
        assert not (entry.args == "any" and {"write", "url", "variable"} & set(entry.operands)), name
