#!/bin/sh
# Joins the shards of a live run and compares them with the recordings and models.
#
#	merge.sh SHARDS FOLDER EXPECTED
#
# SHARDS has a folder for each shard, as live.sh writes it, and EXPECTED is their number. The
# reports of explore.sh there are appended to the comparison. FOLDER gets results.jsonl,
# offline.jsonl and flips.md; the new recordings are copied into the checkout. The exit code is
# that of verify compare, or 3 if a shard is missing, or 2 if a report cannot be made.
set -eu
verify=${VERIFY:-verify} shards=$1 folder=$2 expected=$3

mkdir -p "$folder"
set -- "$shards"/*/results.jsonl
if [ ! -e "$1" ]; then
	echo "there is no result" >&2
	exit 3
fi
found=$#

# This must come before today's recordings are copied, so that results are not compared with
# themselves.
code=0
"$verify" --data . --json >"$folder/offline.jsonl" || code=$?
[ "$code" -le 1 ] || exit "$code"
joined=0
"$verify" report --format json "$@" >"$folder/results.jsonl" || joined=$?
[ "$joined" -ne 2 ] || [ -s "$folder/results.jsonl" ] || exit "$joined"
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
	"$verify" report --format markdown "$folder/results.jsonl" || [ $? -ne 2 ] || [ "$joined" -eq 2 ] || code=2
	echo '# Against recordings and models'
	cat "$folder/flips.md"
} >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
exit "$code"
