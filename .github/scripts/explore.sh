#!/bin/sh
# Finds out what is unknown of the dialects of one provider, and keeps what comes of it.
#
#	explore.sh PROVIDER FOLDER [ARGUMENT...]
#
# FOLDER gets explore.txt, what a maintainer reads, and, below recordings, the files that
# were recorded. The other arguments are those of verify-lab explore. What differs from the
# models and what is unknown still are results; that the run broke is not.
set -eu
lab=${VERIFY_LAB:-verify-lab} provider=$1 folder=$2
shift 2

mkdir -p "$folder"
code=0
"$lab" explore --provider "$provider" --record --max-age 90d "$@" >"$folder/explore.txt" || code=$?
case $code in
0 | 1 | 3) ;;
*) exit "$code" ;;
esac
git ls-files --modified --others --exclude-standard -- recordings | while IFS= read -r file; do
	mkdir -p "$folder/$(dirname "$file")"
	cp "$file" "$folder/$file"
done
