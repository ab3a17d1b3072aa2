#!/usr/bin/env bash
# Version: mcp 2.3.0 (PyPI) and @modelcontextprotocol/client 2.4.0 (npm): neither the challenge nor the metadata of the MCP server names a scope.
#
# Guess: the authorization request has no scope, as MCP 2025-11-25 says for a server without scopes_supported, and the authorization server
# decides by its defaults (RFC 6749 §3.3).
# Seen: so does TypeScript. Python asks for every scope that the authorization server lists in scopes_supported, those of other MCP servers
# included: the person is asked to allow all of them, or the request is refused. With one scope in the metadata of the MCP server it asks for
# that one.
#
# Needs Node 20, npm and Python 3.10 with venv. Fails if the behaviour changes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)/mcp-clients
folder=$(mktemp -d)
source "$here/parties.bash"
npm install --silent --ignore-scripts --no-audit --no-fund @modelcontextprotocol/client@2.4.0
python3 -m venv venv
venv/bin/pip install --quiet mcp==2.3.0
cp "$here/client.mjs" "$here/client.py" .

export SERVER_SCOPES='openid email notes:read billing:write'
start python
venv/bin/python client.py "$address" >/dev/null
start typescript
node client.mjs @modelcontextprotocol/client "$address" >/dev/null 2>errors
export RESOURCE_SCOPES=notes:read
start 'python, the MCP server names a scope'
venv/bin/python client.py "$address" >/dev/null
for client in python typescript 'python, the MCP server names a scope'; do echo "$client: $(requests "$client" | grep authorize)"; done | tee outcomes
diff outcomes - <<'TEXT'
python: {"authorize":{"scope":"openid email notes:read billing:write","prompt":null}}
typescript: {"authorize":{"scope":null,"prompt":null}}
python, the MCP server names a scope: {"authorize":{"scope":"notes:read","prompt":null}}
TEXT
