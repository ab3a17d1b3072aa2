#!/usr/bin/env bash
# Version: @modelcontextprotocol/sdk 1.32.2 and @modelcontextprotocol/client 2.4.0 (npm): a call needs more scope than the token has.
#
# Guess: both send the person to the authorization server with the scope of the challenge (403 insufficient_scope, step-up authorization of
# MCP 2025-11-25), with a refresh token in hand or not, since a refresh never gives more scope than the grant has (RFC 6749 §6).
# Seen: 2.4.0 does. 1.32.2 with a refresh token refreshes, without a scope, tries the call once more and fails with "Server returned 403 after
# trying upscoping": the person is never asked. Without a refresh token it asks. So an MCP server whose 401 names less than its calls need
# locks these clients out of the other calls.
#
# Needs Node 20 and npm. Fails if the behaviour changes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)/mcp-clients
folder=$(mktemp -d)
source "$here/parties.bash"
npm install --silent --ignore-scripts --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0
cp "$here/client.mjs" .

export CHALLENGE_SCOPE=notes:read NEEDED_SCOPE='notes:read notes:write' RESOURCE_SCOPES='notes:read notes:write'
call() { # a name, a package, and variables
  start "$1"
  echo "$1: $(env "${@:3}" node client.mjs "$2" "$address" 2>errors)" | tee -a outcomes
}
call 'old with a refresh token' @modelcontextprotocol/sdk/client/streamableHttp.js
call 'old without one' @modelcontextprotocol/sdk/client/streamableHttp.js FORGETS=1
call 'new with a refresh token' @modelcontextprotocol/client
call 'new without one' @modelcontextprotocol/client FORGETS=1
requests 'old with a refresh token'
diff outcomes - <<'TEXT'
old with a refresh token: Streamable HTTP error: Server returned 403 after trying upscoping
old without one: asks the person for notes:read notes:write
new with a refresh token: asks the person for notes:read notes:write
new without one: asks the person for notes:read notes:write
TEXT
[ "$(requests 'old with a refresh token' | grep -c '"refresh_token"')" = 1 ]
