#!/usr/bin/env bash
# Version: github.com/mark3labs/mcp-go v1.2.1: an MCP server that names the scope it needs in its challenge and in its metadata, and a client without
# scopes in its configuration.
#
# Guess: the authorization request has the scope of the challenge (MCP 2025-11-25: the challenge is authoritative, scopes_supported comes after
# it), as with the other SDKs, and after 403 insufficient_scope the program gets an error that asks for authorization, as after 401.
# Seen: the request has no scope at all, since only the configuration of the program counts. The first call after it gets 403, which the library
# reports as "server returned 4xx for initialize POST, likely a legacy SSE server": neither the scope that is missing nor the word authorization
# is in it. So a program on this library must know the scopes of each MCP server beforehand.
#
# Needs Node 20 and Go 1.25. Fails if the behaviour changes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)/mcp-clients
folder=$(mktemp -d)
source "$here/parties.bash"
go mod init client >/dev/null 2>&1
cat >main.go <<'GO'
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// authorize does what the documentation of the library says after an error that asks for authorization.
func authorize(ctx context.Context, failure error) error {
	handler := client.GetOAuthHandler(failure)
	verifier, err := client.GenerateCodeVerifier()
	if err != nil {
		return err
	}
	state, err := client.GenerateState()
	if err != nil {
		return err
	}
	address, err := handler.GetAuthorizationURL(ctx, state, client.GenerateCodeChallenge(verifier))
	if err != nil {
		return err
	}
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := browser.Get(address)
	if err != nil {
		return err
	}
	back, err := response.Location()
	if err != nil {
		return err
	}
	return handler.ProcessAuthorizationResponse(ctx, back.Query().Get("code"), state, verifier)
}

func run(address string) error {
	ctx := context.Background()
	caller, err := client.NewOAuthStreamableHttpClient(address, client.OAuthConfig{
		ClientID:    "client",
		RedirectURI: "http://127.0.0.1/callback",
		TokenStore:  client.NewMemoryTokenStore(),
		PKCEEnabled: true,
	})
	if err != nil {
		return err
	}
	initialize := func() error {
		_, err := caller.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION}})
		return err
	}
	failure := initialize()
	if !client.IsOAuthAuthorizationRequiredError(failure) {
		return errors.Join(errors.New("no request for authorization"), failure)
	}
	if err := authorize(ctx, failure); err != nil {
		return err
	}
	failure = initialize()
	fmt.Println("asks for authorization after 403:", client.IsOAuthAuthorizationRequiredError(failure))
	fmt.Println(failure)
	return nil
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
GO
go get github.com/mark3labs/mcp-go@v1.2.1 >/dev/null 2>&1
go mod tidy >/dev/null 2>&1
go build -o client .

export CHALLENGE_SCOPE=notes:read RESOURCE_SCOPES=notes:read SERVER_SCOPES=notes:read NEEDED_SCOPE=notes:read
start requests
./client "$address" | tee outcome
requests requests | tee -a outcome
diff outcome - <<'TEXT'
asks for authorization after 403: false
transport error: server returned 4xx for initialize POST, likely a legacy SSE server
{"authorize":{"scope":null,"prompt":null}}
{"token":{"grant_type":"authorization_code","client_id":"client","authorization":null,"scope":null}}
TEXT
