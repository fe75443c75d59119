#!/bin/sh
# Joins the shards of a live run and compares them with what recordings and models say.
#
#	merge.sh SHARDS FOLDER EXPECTED
#
# SHARDS has a folder for each shard, as live.sh writes it, and EXPECTED says how many
# there are to be. What explore.sh has written there is put behind the comparison. FOLDER
# gets results.jsonl, offline.jsonl and flips.md; the recorded files are put into the
# checkout. It exits as verify compare does, and with 3 when a shard is missing.
set -eu
verify=${VERIFY:-verify} shards=$1 folder=$2 expected=$3

mkdir -p "$folder"
set -- "$shards"/*/results.jsonl
if [ ! -e "$1" ]; then
	echo "there is no result" >&2
	exit 3
fi
found=$#

# Before the recordings of today are put in, so that they do not speak for themselves.
code=0
"$verify" --data . --json >"$folder/offline.jsonl" || code=$?
[ "$code" -le 1 ] || exit "$code"
code=0
"$verify" report --format json "$@" >"$folder/results.jsonl" || code=$?
[ "$code" -ne 2 ] || [ -s "$folder/results.jsonl" ] || exit "$code"
for shard in "$shards"/*/; do
	if [ -d "$shard/recordings" ]; then
		cp -R "$shard/recordings/." recordings/
	fi
done

code=0
"$verify" compare --common --markdown "$folder/offline.jsonl" "$folder/results.jsonl" >"$folder/flips.md" || code=$?
if [ "$found" -ne "$expected" ]; then
	printf '\n%s of %s shards have results.\n' "$found" "$expected" >>"$folder/flips.md"
	[ "$code" -ne 0 ] || code=3
fi
for explored in "$shards"/*/explore.txt; do
	if [ -s "$explored" ]; then
		printf '\n## Explored\n\n```text\n' >>"$folder/flips.md"
		head -c 20000 "$explored" >>"$folder/flips.md"
		printf '\n```\n' >>"$folder/flips.md"
	fi
done
{
	echo '# Live'
	"$verify" report --format markdown "$folder/results.jsonl" || true
	echo '# Against recordings and models'
	cat "$folder/flips.md"
} >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
exit "$code"
