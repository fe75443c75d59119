#!/bin/sh
# Builds both programs for each platform, with checksums: verify, and verify-live, which
# verify live starts.
#
#	build.sh FOLDER VERSION [PLATFORM...]
#
# A PLATFORM is the operating system and architecture that Go knows, such as linux/arm64.
set -eu
folder=$1 version=$2
shift 2
[ $# -gt 0 ] || set -- linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

mkdir -p "$folder"
for platform in "$@"; do
	os=${platform%/*} arch=${platform#*/} suffix=
	[ "$os" != windows ] || suffix=.exe
	for program in verify verify-live; do
		CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -ldflags='-s -w' -o "$folder/$program-$version-$os-$arch$suffix" "./cmd/$program"
	done
done
cd "$folder"
sha256sum verify-* >checksums.txt
