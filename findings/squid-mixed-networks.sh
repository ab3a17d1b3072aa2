#!/usr/bin/env bash
# Version: Squid 5.7-2+deb12u6 (Debian 12): an access list of destinations with private networks of IPv4 and, as one network of IPv6, all
# that is not global unicast there: `::/3`.
#
# Guess: the networks of IPv4 and IPv6 are apart, and the list has all of them; a list that cannot be used is an error.
# Seen: Squid holds IPv4 as ::ffff:0:0/96, which is within ::/3, so the two overlap. Of two networks that overlap it leaves one out of the
# list, whichever comes last, with a warning and the exit code 0. Behind IPv4 that is the one of IPv6. Networks of
# IPv6 that do not contain ::ffff:0:0/96, such as ::/96, are all in the list.
#
# Needs Debian 12 with apt. Nothing is installed: the packages are unpacked into the folder. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root squid=5.7-2+deb12u6 libecap3 libltdl7 libnetfilter-conntrack3 libnfnetlink0 libtdb1
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu

judge() { # the networks; prints what is left out, and the exit code
  echo "acl private dst $1" >squid.conf
  root/usr/sbin/squid -k parse -f squid.conf >log 2>&1 && code=0 || code=$?
  echo "$1: $(grep -o "because of this .* is ignored" log || echo 'nothing is ignored'), exit code $code"
}
judge '10.0.0.0/8 ::/3' | tee outcome
judge '::/3 10.0.0.0/8' | tee -a outcome
judge '10.0.0.0/8 ::/96 fc00::/7' | tee -a outcome
diff outcome - <<'TEXT'
10.0.0.0/8 ::/3: because of this '::/3' is ignored, exit code 0
::/3 10.0.0.0/8: because of this '10.0.0.0/8' is ignored, exit code 0
10.0.0.0/8 ::/96 fc00::/7: nothing is ignored, exit code 0
TEXT
