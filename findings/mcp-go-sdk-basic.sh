#!/usr/bin/env bash
# Version: github.com/modelcontextprotocol/go-sdk v1.8.0 (with golang.org/x/oauth2): a client whose client_id is the URL of its metadata document, and an
# authorization server whose metadata lists none as its only token_endpoint_auth_methods_supported.
#
# Guess: the token request has client_id in its body and no Authorization header, since a client without a secret is public (RFC 6749 §2.3.1,
# §3.2.1), and the server names the method.
# Seen: the first token request of a process has `Authorization: Basic` with the escaped URL as the user, an empty password, and no client_id.
# After the refusal the same code comes once more, with client_id in the body. So a sign-in fails where the authorization server spends the code
# before it looks at the client, and each process adds a failed client authentication to the log. The SDK chooses only between the two methods
# with a secret, and leaves any other list to the guessing of x/oauth2.
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
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

// open follows the person's browser to the answer of the authorization server.
func open(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := browser.Get(args.URL)
	if err != nil {
		return nil, err
	}
	back, err := response.Location()
	if err != nil {
		return nil, err
	}
	answer := back.Query()
	return &auth.AuthorizationResult{Code: answer.Get("code"), State: answer.Get("state"), Iss: answer.Get("iss")}, nil
}

func run(address string) error {
	ctx := context.Background()
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		ClientIDMetadataDocumentConfig: &auth.ClientIDMetadataDocumentConfig{URL: "https://client.example.com/client.json"},
		RedirectURL:                    "http://127.0.0.1/callback",
		AuthorizationCodeFetcher:       open,
	})
	if err != nil {
		return err
	}
	request, err := http.NewRequest("POST", address, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	if err := handler.Authorize(ctx, request, response); err != nil {
		return err
	}
	source, err := handler.TokenSource(ctx)
	if err != nil {
		return err
	}
	token, err := source.Token()
	if err != nil {
		return err
	}
	fmt.Println("a token of type", token.Type())
	return nil
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
GO
go get github.com/modelcontextprotocol/go-sdk@v1.8.0 >/dev/null 2>&1
go mod tidy >/dev/null 2>&1
go build -o client .

export CHALLENGE_SCOPE=notes:read RESOURCE_SCOPES=notes:read SERVER_SCOPES=notes:read
start requests
./client "$address"
requests requests
[ "$(requests requests | grep token | sed 's/"authorization":"Basic [^"]*"/"authorization":"Basic"/')" = \
  '{"token":{"grant_type":"authorization_code","client_id":null,"authorization":"Basic","scope":null}}
{"token":{"grant_type":"authorization_code","client_id":"https://client.example.com/client.json","authorization":null,"scope":null}}' ]
