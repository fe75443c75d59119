#!/bin/sh
# Measures agents, gateways or normalizers in their newest versions, and says what differs.
#
#	measure.sh agents|gateways|peers FOLDER
#
# FOLDER gets changes.md, which is empty where every version does what is published, and
# changes.patch. It has the lock files, what was measured, and the pages. The checkout is
# changed as the patch says.
set -eu
part=$1 folder=$2
scripts=$(dirname "$0")
case $part in
agents | gateways) packages=lab/clients/$part ;;
peers) packages=lab/adapters/npm ;;
*)
	echo "there is nothing to measure that is called $part" >&2
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
	git checkout --quiet -- . # the times alone are others
fi
make docs
git diff --binary -- "$packages" docs >"$folder/changes.patch"
cat "$folder/changes.md" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
