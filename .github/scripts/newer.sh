#!/bin/sh
# Locks the newest version of each package that a folder names.
#
#	newer.sh FOLDER
#
# A package with another name, such as npm:@ai-sdk/google@3, stays: it is an older version
# on purpose.
set -eu
cd "$1"
set --
for name in $(sed -n 's/^ *"\([^"]*\)": "[0-9][^" ]*",*$/\1/p' package.json); do
	set -- "$@" "$name@latest"
done
npm install --package-lock-only --save-exact --ignore-scripts --no-audit --no-fund "$@"
