#!/bin/sh
# Measures agents, gateways, normalizers or clients in their newest versions and shows how they
# differ from what is published.
#
#	measure.sh agents|gateways|peers|conformance FOLDER
#
# FOLDER gets changes.md, which is empty if nothing differs, and changes.patch with the lock
# files, the measurements and the pages. The patch is also applied to the checkout.
set -eu
part=$1 folder=$2
scripts=$(dirname "$0")
case $part in
agents | gateways) packages=lab/clients/$part ;;
peers) packages=lab/adapters/npm ;;
conformance) packages="lab/clients lab/clients/frameworks lab/clients/conformance/now" ;;
*)
	echo "nothing to measure is called $part" >&2
	exit 2
	;;
esac

mkdir -p "$folder"
before=$(mktemp -d)
trap 'rm -r "$before"' EXIT
cp docs/*.json "$before"
for place in $packages; do
	sh "$scripts/newer.sh" "$place"
done
if [ "$part" = conformance ]; then
	make -s conformance >"$folder/changes.md"
else
	UPDATE=1 make "$part"
	make differs OLD="$before" >"$folder/changes.md"
fi
if [ ! -s "$folder/changes.md" ]; then
	git checkout --quiet -- . # only times differ
fi
make docs
git diff --binary -- $packages docs >"$folder/changes.patch"
cat "$folder/changes.md" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
