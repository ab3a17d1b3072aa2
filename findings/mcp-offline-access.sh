#!/usr/bin/env bash
# Version: @modelcontextprotocol/client 2.4.0 (npm), mcp 2.3.0 (PyPI), and @modelcontextprotocol/sdk 1.32.2 (npm): the authorization server lists
# offline_access in scopes_supported, the MCP server names one scope in its challenge.
#
# Guess: the authorization request has the scope of the challenge and nothing else, since MCP 2025-11-25 says that the challenge names the scopes
# that the request needs; and no prompt, so that a person who consented before is not asked again.
# Seen: 2.4.0 and 2.3.0 add offline_access, and with it prompt=consent (OpenID Connect Core §11), so that the person sees the consent page at
# each sign-in; for TypeScript only where grant_types of the client has refresh_token, which is the default for Python. 1.32.2 adds nothing.
# An authorization server that lists offline_access and refuses it to a client therefore refuses the whole request, although the MCP server
# did not ask for it.
#
# Needs Node 20, npm and Python 3.10 with venv. Fails if the behaviour changes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)/mcp-clients
folder=$(mktemp -d)
source "$here/parties.bash"
npm install --silent --ignore-scripts --no-audit --no-fund @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/sdk@1.32.2
python3 -m venv venv
venv/bin/pip install --quiet mcp==2.3.0
cp "$here/client.mjs" "$here/client.py" .

export CHALLENGE_SCOPE=notes:read RESOURCE_SCOPES=notes:read
for listed in 'notes:read' 'notes:read offline_access'; do
  export SERVER_SCOPES=$listed
  start "python $listed"
  venv/bin/python client.py "$address" >/dev/null
  start "new $listed"
  node client.mjs @modelcontextprotocol/client "$address" >/dev/null 2>errors
  start "old $listed"
  node client.mjs @modelcontextprotocol/sdk/client/streamableHttp.js "$address" >/dev/null 2>errors
  for client in python new old; do echo "$client, server lists $listed: $(requests "$client $listed" | grep authorize)"; done | tee -a outcomes
done
diff outcomes - <<'TEXT'
python, server lists notes:read: {"authorize":{"scope":"notes:read","prompt":null}}
new, server lists notes:read: {"authorize":{"scope":"notes:read","prompt":null}}
old, server lists notes:read: {"authorize":{"scope":"notes:read","prompt":null}}
python, server lists notes:read offline_access: {"authorize":{"scope":"notes:read offline_access","prompt":"consent"}}
new, server lists notes:read offline_access: {"authorize":{"scope":"notes:read offline_access","prompt":"consent"}}
old, server lists notes:read offline_access: {"authorize":{"scope":"notes:read","prompt":null}}
TEXT
