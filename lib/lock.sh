#!/bin/sh
# Makes the locks again from the bounds of pyproject.toml, with uv (UV=path): `make lock`, ARGS=--upgrade for newer versions.
#
#   requirements.lock          the core: reading, fitting, reporting, notebooks
#   requirements-SIZE.lock     what SIZE (live, lab, docs, test) adds to it
#
# All are parts of one resolution, so that any of them can be installed together.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d "${TMPDIR:-/tmp}/ycsbook-lock.XXXXXX")
trap 'rm -rf "$folder"' EXIT

resolve() { # resolve FILE OPTION...
  file=$1
  shift
  "${UV:-uv}" pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
    -o "$file" "$@" pyproject.toml
}

# What stands in the locks is kept where the bounds allow it.
cat requirements*.lock >"$folder/all"
resolve "$folder/all" --all-extras "$@"
resolve "$folder/core" -c "$folder/all" --extra build
for size in live lab docs test; do
  resolve "$folder/$size" -c "$folder/all" --extra build --extra "$size"
  # Without the entries that the core has in the same words: a line with the pin, then its hashes.
  awk '/^[^ ]/ { pin = $0; if (NR == FNR) core[pin]; else new = !(pin in core) } NR != FNR && new' \
    "$folder/core" "$folder/$size" >"$folder/$size.added"
done
cp "$folder/core" requirements.lock
for size in live lab docs test; do cp "$folder/$size.added" "requirements-$size.lock"; done
