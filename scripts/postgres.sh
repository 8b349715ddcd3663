#!/usr/bin/env bash
# A PostgreSQL server with pgvector for the tests, made of Debian's own packages in a folder of its own:
#
#   postgres.sh why              why this machine cannot have one; nothing where it can
#   postgres.sh start DIR PORT   starts it, prints its URL; the first start installs about 700 MB below DIR
#   postgres.sh stop DIR         stops it in order
#   postgres.sh crash DIR        stops it as a power failure would: the next start has to recover
#
# Debian 13 packages pgvector, Debian 12 does not: debootstrap installs a small Debian 13 from the mirror that
# this machine's apt uses, and the server runs in it under chroot. It listens on 127.0.0.1 only; the
# superuser `cue` has no password. Nothing of this survives the removal of DIR.
set -euo pipefail

RELEASE=trixie
VERSION=17
BINARIES=/usr/lib/postgresql/$VERSION/bin

usage() {
  sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

mirror() {
  cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    sed 's/#.*//' | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1 | tr -d ' ' || true
}

why() {
  if [ "$(id -u)" -ne 0 ]; then echo 'only root may install into a folder by chroot'
  elif ! command -v apt-get >/dev/null; then echo 'there is no apt-get: this is no Debian'
  elif [ -z "$(mirror)" ]; then echo 'the sources of apt name no mirror of Debian'
  fi
}

install_server() {
  command -v debootstrap >/dev/null || { apt-get update -q && apt-get install -y -q debootstrap; } >&2
  rm -rf "$system"
  mkdir -p "$dir"
  debootstrap --variant=minbase --include="postgresql-$VERSION,postgresql-$VERSION-pgvector" \
    "$RELEASE" "$system" "$(mirror)" >&2
  touch "$system/.complete"
}

as_postgres() { chroot "$system" su postgres -c "$1"; }
control() { as_postgres "$BINARIES/pg_ctl -s -D /data $1"; }

start() {
  local port=$1 options
  [ -e "$system/.complete" ] || install_server
  if [ ! -f "$system/data/PG_VERSION" ]; then
    mkdir -p "$system/data"
    chroot "$system" chown postgres /data
    chmod 700 "$system/data"
    as_postgres "$BINARIES/initdb -D /data -U cue -A trust -E UTF8 --locale=C" >&2
  fi
  # What the system has taken is safe from a crash of the server: the tests need not wait for the disk.
  options="-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=/data"
  options+=" -c max_connections=200 -c fsync=off"
  # A bench has a server of the size that it tells of.
  options+=" ${CUE_TEST_POSTGRES_OPTIONS:-}"
  # A test run that was killed has left its server behind.
  if control status >/dev/null 2>&1; then control '-m fast stop'; fi
  control "-w -l /data/log -o '$options' start" >&2
  echo "postgres://cue@127.0.0.1:$port/postgres"
}

verb=${1:-}
if [ "$verb" = why ]; then
  why
  exit
fi
dir=$(realpath -m "${2:?the folder is missing}")
system=$dir/debian
case $verb in
  start) start "${3:?the port is missing}" ;;
  stop) control '-m fast stop' ;;
  crash) control '-m immediate stop' ;;
  *) usage ;;
esac
