#!/bin/sh
# Measures agents, gateways or normalizers in their newest versions and shows how they differ
# from what is published.
#
#	measure.sh agents|gateways|peers FOLDER
#
# FOLDER gets changes.md, which is empty if nothing differs, and changes.patch with the lock
# files, the measurements and the pages. The patch is also applied to the checkout.
set -eu
part=$1 folder=$2
scripts=$(dirname "$0")
case $part in
agents | gateways) packages=lab/clients/$part ;;
peers) packages=lab/adapters/npm ;;
*)
	echo "nothing to measure is called $part" >&2
	exit 2
	;;
esac

mkdir -p "$folder"
before=$(mktemp -d)
trap 'rm -r "$before"' EXIT
cp docs/*.json "$before"
sh "$scripts/newer.sh" "$packages"
UPDATE=1 make "$part"
make differs OLD="$before" >"$folder/changes.md"
if [ ! -s "$folder/changes.md" ]; then
	git checkout --quiet -- . # only times differ
fi
make docs
git diff --binary -- "$packages" docs >"$folder/changes.patch"
cat "$folder/changes.md" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
