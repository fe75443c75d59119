#!/bin/sh
# Asks one provider about one shard of the fixtures and keeps what comes of it.
#
#	live.sh PROVIDER SHARD FOLDER [ARGUMENT...]
#
# FOLDER gets results.jsonl and, below recordings, the files that were recorded. The
# other arguments are those of verify-lab live. Refusals and what is inconclusive are
# results; that the run broke is not.
set -eu
lab=${VERIFY_LAB:-verify-lab} provider=$1 shard=$2 folder=$3
shift 3

mkdir -p "$folder"
code=0
"$lab" live --provider "$provider" --shard "$shard" --record --json "$@" >"$folder/results.jsonl" || code=$?
case $code in
0 | 1 | 3) ;;
*) exit "$code" ;;
esac
git ls-files --modified --others --exclude-standard -- recordings | while IFS= read -r file; do
	mkdir -p "$folder/$(dirname "$file")"
	cp "$file" "$folder/$file"
done
