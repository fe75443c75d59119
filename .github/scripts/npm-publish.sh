#!/bin/sh
# Publishes the npm packages, first those with the programs and then the launchers, which
# depend on them. A package that npm already has with the same bytes is skipped, so a run
# that failed can be repeated. The package of data has one version a day: what a second release
# of a day knows comes with the next.
#
#	npm-publish.sh FOLDER
set -eu
folder=$1

# A launcher is a package with optional dependencies.
list() {
	for file in "$folder"/*.tgz; do
		kind=platform
		! tar -xzOf "$file" package/package.json | grep -q '"optionalDependencies"' || kind=launcher
		[ "$kind" != "$1" ] || printf '%s\n' "$file"
	done
}

{ list platform; list launcher; } | while IFS= read -r file; do
	name=$(tar -xzOf "$file" package/package.json | sed -n 's/^  "name": "\(.*\)",$/\1/p')
	version=$(tar -xzOf "$file" package/package.json | sed -n 's/^  "version": "\(.*\)",$/\1/p')
	ours=sha512-$(openssl dgst -sha512 -binary "$file" | base64 | tr -d '\n')
	theirs=$(npm view "$name@$version" dist.integrity 2>/dev/null) || theirs= # if npm is out of reach, publishing fails
	if [ "$ours" = "$theirs" ]; then
		echo "$name $version is published"
		continue
	fi
	case $name in *-data) [ -z "$theirs" ] || { echo "$name $version is published, with other data of the day"; continue; } ;; esac
	tag=latest
	case $version in *-*) tag=next ;; esac
	npm publish "$file" --access public --provenance --tag "$tag" </dev/null
done
