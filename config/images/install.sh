#!/bin/sh
# Install the packages of packages.txt on a minimal Debian 12; then make it small, quick to import from, and free of anything
# that raises privileges. Runs inside the build, as root, in the folder that holds the other files.
set -eu
export DEBIAN_FRONTEND=noninteractive

cp dpkg.cfg /etc/dpkg/dpkg.cfg.d/fencepost
apt-get update -qq
apt-get upgrade -y -qq --no-install-recommends
# shellcheck disable=SC2046 # one word a package is meant
apt-get install -y -qq --no-install-recommends $(sed 's/#.*//' packages.txt)
cp gitconfig /etc/gitconfig
mkdir -p /workspace /opt/fencepost/matplotlib

modules=/usr/lib/python3/dist-packages
find "$modules" -type d -name tests -prune -exec rm -rf {} +
rm -rf /usr/share/info/* /usr/share/lintian /usr/share/locale/* /usr/share/man/*
find /usr/share/doc -mindepth 1 ! -type d ! -name copyright -delete

# The root is read-only at run time, so what would be written at first use is written now.
python3 -m compileall -q -j 0 "$modules" /usr/lib/python3.11
MPLCONFIGDIR=/opt/fencepost/matplotlib python3 -c 'import matplotlib.font_manager'
chmod -R a+rX /opt/fencepost

find / -xdev -perm /6000 -exec chmod ug-s {} +
rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/cache/fontconfig /var/log/* /root/.cache
