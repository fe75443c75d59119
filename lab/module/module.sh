#!/bin/sh
# Prints the address of the repository without a scheme or, given a path, makes it the path
# of the main module and rewrites the files that hold the old path or address.
#
#	module.sh [host/owner/name]
#
# The address follows from the first line of go.mod. Until a host has the project, the path
# is toolproof and the address a stand-in. The program and the packages of a release read
# go.mod themselves, so no other file names either.
set -eu

address() {
	case $1 in toolproof) echo github.com/owner/toolproof ;; *) echo "$1" ;; esac
}

# forms prints the address $1 and what else texts call the repository and its packages.
forms() {
	slug=${1#*/}
	owner=$(printf %s "${slug%%/*}" | tr '[:upper:]' '[:lower:]')
	echo "$1" "@$owner/toolproof" "ghcr.io/$owner/toolproof" "$owner-toolproof" "$(printf %s "$owner" | tr - _)_toolproof" "$slug"
}

# swap prints a command of sed that replaces $2 by $3 between what $1 and $4 match.
swap() {
	printf 's#(%s)%s(%s)#\\1%s\\2#g\n' "$1" "$(printf %s "$2" | sed 's/\./\\./g')" "$4" "$3"
}

# rewrite edits the files $2... by the sed script $1. GNU and BSD take -i with a suffix alike.
rewrite() {
	script=$1
	shift
	sed -i.before -E "$script" "$@"
	for file in "$@"; do rm "$file.before"; done
}

old=$(sed -n '1s/^module //p' go.mod)
if [ $# -eq 0 ]; then
	address "$old"
	exit
fi
new=$1
if ! printf %s "$new" | tr '\n' ' ' | grep -Eqx 'toolproof|[a-z0-9-]+(\.[a-z0-9-]+)+/[A-Za-z0-9][A-Za-z0-9-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)+'; then
	printf 'module: "%s" is no path of a module\nhint: write host/owner/name, such as %s\n' "$new" "$(address toolproof)" >&2
	exit 1
fi

# listed prints the files of some kinds that have the old path. Their names have no space.
listed() { git grep --untracked -lF "$old" -- "$@" ':!lab/module'; }
rewrite "$(swap '"' "$old" "$new" /)" $(listed '*.go')
rewrite "$(swap '^|[[:space:]]' "$old" "$new" '[/[:space:]]|$')" $(listed '*go.mod' .golangci.yml)
set -- $(forms "$(address "$old")") $(forms "$(address "$new")")
rewrite "$(
	for _ in 1 2 3 4 5; do
		swap '^|[^A-Za-z0-9_.-]' "$1" "$7" '[^A-Za-z0-9]|$'
		shift
	done
	swap '^|[^A-Za-z0-9_./@-]' "$1" "$7" '[^A-Za-z0-9]|$'
)" $(git ls-files --cached --others --exclude-standard -- README.md Makefile docs/action.md docs/data.md docs/install.md docs/python.md docs/typescript.md packages/data/README.md \
	'lab/clients/library/*.*ts' 'lab/clients/library/*.js' 'lab/clients/runtimes/*.js')
