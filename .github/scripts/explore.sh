#!/bin/sh
# Asks one provider about what is unknown of its dialects.
#
#	explore.sh PROVIDER FOLDER [ARGUMENT...]
#
# FOLDER gets explore.txt, a report for maintainers, and new recordings below recordings. The
# other arguments are passed to verify-lab explore. It fails only if the run itself failed, not if the
# provider differs from the models.
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
