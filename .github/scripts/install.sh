#!/bin/sh
# Downloads the released program for this machine and verifies its checksum.
#
#	install.sh FOLDER
#
# The environment sets REPOSITORY to an owner and a name, and REF to the tag of a release;
# any other REF stands for the newest release. RELEASES is the address of the releases if
# they are not on GitHub. If gh is installed, the attestation of the archive is verified too.
# A program that is already in the folder is used as it is.
set -eu
folder=$1
if [ -x "$folder/toolproof" ]; then
	exit 0
fi
server=${GITHUB_SERVER_URL:-https://github.com}
releases=${RELEASES:-$server/$REPOSITORY/releases}

case $REF in
v[0-9]*.[0-9]*.[0-9]*) ;;
*)
	newest=$(curl --fail --silent --show-error --location --output /dev/null --write-out '%{url_effective}' "$releases/latest") || {
		echo "install.sh: $releases has no release: name one in the input version" >&2
		exit 2
	}
	REF=${newest##*/}
	;;
esac
case $REF in
*[!0-9A-Za-z.-]*)
	echo "install.sh: the version is not the tag of a release: write it as v1.2.3" >&2
	exit 2
	;;
esac

case $(uname -s) in
Linux) system=linux ending=tar.gz ;;
Darwin) system=darwin ending=tar.gz ;;
*) system=windows ending=zip ;;
esac
case $(uname -m) in
aarch64 | arm64) machine=arm64 ;;
*) machine=amd64 ;;
esac
archive=toolproof-${REF#v}-$system-$machine.$ending

mkdir -p "$folder"
cd "$folder"
for file in "$archive" checksums.txt; do
	curl --fail --silent --show-error --location --retry 3 --output "$file" "$releases/download/$REF/$file" || {
		echo "install.sh: release $REF of $REPOSITORY has no $file" >&2
		exit 2
	}
done
grep "[ *]$archive\$" checksums.txt >checksum.txt || {
	echo "install.sh: checksums.txt of release $REF has no $archive" >&2
	exit 2
}
if command -v sha256sum >/dev/null; then
	sha256sum --check --quiet checksum.txt
else
	shasum --algorithm 256 --check --quiet checksum.txt
fi || {
	echo "install.sh: $archive is not the file that checksums.txt names: it is not run" >&2
	exit 2
}
if [ -z "${RELEASES:-}" ] && command -v gh >/dev/null && [ -n "${GH_TOKEN:-}" ]; then
	gh attestation verify "$archive" --repo "$REPOSITORY"
fi
case $ending in
zip) unzip -q -o "$archive" ;;
*) tar -xzf "$archive" ;;
esac
