#!/usr/bin/env bash
# Compiles go-oidc, so that the test of the dashboard's Go snippet runs. It needs Go, and the network of Go modules, which no other step uses.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOCACHE="$PWD/.node/go/cache" GOMODCACHE="$PWD/.node/go/modules" GOFLAGS=-modcacherw
cd server/test/support/go
go build -o /dev/null .
touch ../../../../.node/go/compiled
