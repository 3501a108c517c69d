#!/bin/sh
# Installs elbro under systemd, or upgrades it: `sudo ./install.sh`. `sudo ./install.sh remove` removes the program and
# keeps the configuration and the data. ROOT=/mnt installs into another root and starts nothing.
set -eu
cd "$(dirname "$0")"

root=${ROOT:-}
program=$root/opt/elbro
configuration=$root/etc/elbro/elbro.yaml
unit=$root/etc/systemd/system/elbro.service

say() { printf '%s\n' "$*"; }
fail() { say "elbro: $*" >&2; exit 1; }
systemd() { test -n "$root" || systemctl "$@"; }

test "$(id -u)" = 0 || fail "run this as root: sudo ./install.sh"

if test "${1:-}" = remove; then
  systemd disable --now elbro 2>/dev/null || true
  rm -rf "$program" "$unit" "$root/usr/local/bin/elbro"
  systemd daemon-reload
  say "elbro is removed. Its configuration is in /etc/elbro and its data in /var/lib/private/elbro; delete them if you like."
  exit 0
fi

# The service does not see the PATH of a person.
node=
for each in /usr/bin/node /usr/local/bin/node; do
  if test -x "$root$each"; then node=$each; break; fi
done
test -n "$node" || fail "Node.js is missing at /usr/bin/node and /usr/local/bin/node; docs/install.md says how to get version 24"
version=$("$root$node" --version)
case $version in
  v24.[5-9].* | v24.[1-9][0-9].* | v26.*) ;;
  *) fail "$node is $version; elbro needs version 24.5 or later of 24, or 26" ;;
esac

rm -rf "$program.new"
mkdir -p "$root/opt" "$root/etc/elbro" "$root/etc/systemd/system" "$root/usr/local/bin"
cp -r program "$program.new"
rm -rf "$program"
mv "$program.new" "$program"
is_new=false
if ! test -e "$configuration"; then
  install -m 600 elbro.example.yaml "$configuration"
  is_new=true
fi
sed "s#/usr/bin/node#$node#" elbro.service >"$unit"
cat >"$root/usr/local/bin/elbro" <<EOF
#!/bin/sh
# The command line of the installed elbro, with its configuration and data.
export ELBRO_DATA_DIR="\${ELBRO_DATA_DIR:-/var/lib/elbro}" ELBRO_CONFIG="\${ELBRO_CONFIG:-/etc/elbro/elbro.yaml}"
exec $node /opt/elbro/elbro.cjs "\$@"
EOF
chmod 755 "$root/usr/local/bin/elbro"
systemd daemon-reload
systemd enable elbro
if test "$is_new" = true; then
  say "elbro is installed. Write your key into /etc/elbro/elbro.yaml, create a key for your phone (sudo elbro keys create phone --control),"
  say "then run: sudo systemctl start elbro"
else
  systemd restart elbro
  say "elbro is upgraded and started again."
fi
say "Its log: journalctl -u elbro. Its page: http://$(hostname):8080/"
