// The libraries of the dashboard's Go snippet. .ci/run compiles them ahead of its test.
package main

import (
	_ "github.com/coreos/go-oidc/v3/oidc"
	_ "golang.org/x/oauth2"
)

func main() {}
