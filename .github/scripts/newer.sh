#!/bin/sh
# Locks the newest version of each package in a folder.
#
#	newer.sh FOLDER
#
# A package under another name, such as npm:@ai-sdk/google@3, is an older version on purpose and
# is not changed.
set -eu
cd "$1"
set --
for name in $(sed -n 's/^ *"\([^"]*\)": "[0-9][^" ]*",*$/\1/p' package.json); do
	set -- "$@" "$name@latest"
done
npm install --package-lock-only --save-exact --ignore-scripts --no-audit --no-fund "$@"

# npm takes an older version without a word if the newest one needs another Node.
for package; do
	name=${package%@latest}
	locked=$(npm pkg get "devDependencies[$name]" "dependencies[$name]") newest=$(npm view "$name" version)
	case $locked in
	*"\"$newest\""*) ;;
	*) echo "$name: the newest version is $newest, and npm has chosen another: $locked" >&2 ;;
	esac
done
