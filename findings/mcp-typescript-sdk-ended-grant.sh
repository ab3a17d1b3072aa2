#!/usr/bin/env bash
# Version: @modelcontextprotocol/sdk 1.32.2 and @modelcontextprotocol/client 2.4.0 (npm): the grant of a client is over, by a sign-out, a revocation or
# its age: the access token gets 401, and the refresh token 400 invalid_grant. The client has the required members of OAuthClientProvider.
#
# Guess: the client asks the person to sign in once more, as after its first 401.
# Seen: it sends the refresh token twice and fails with invalid_grant, and the tokens stay where the client stored them, so the next call begins
# in the same way. The person is asked only where the provider also has invalidateCredentials, which is optional. Where the server sends no
# error_description, the error of 1.32.2 has an empty message.
#
# Needs Node 20 and npm. Fails if the behaviour changes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)/mcp-clients
folder=$(mktemp -d)
source "$here/parties.bash"
npm install --silent --ignore-scripts --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0
cp "$here/client.mjs" .

export CHALLENGE_SCOPE=notes:read RESOURCE_SCOPES=notes:read SERVER_SCOPES=notes:read ENDED=1
call() { # a name, a package, and variables
  start "$1"
  echo "$1: $(env "${@:3}" node client.mjs "$2" "$address" 2>errors); refreshes: $(requests "$1" | grep -c '"refresh_token"')" | tee -a outcomes
}
call 'old' @modelcontextprotocol/sdk/client/streamableHttp.js
call 'old with invalidateCredentials' @modelcontextprotocol/sdk/client/streamableHttp.js INVALIDATES=1
call 'new' @modelcontextprotocol/client
call 'new with invalidateCredentials' @modelcontextprotocol/client INVALIDATES=1
diff outcomes - <<'TEXT'
old: InvalidGrantError; refreshes: 2
old with invalidateCredentials: asks the person for notes:read; refreshes: 1
new: invalid_grant; refreshes: 2
new with invalidateCredentials: asks the person for notes:read; refreshes: 1
TEXT
