#!/usr/bin/env bash
# Version: rmcp 3.11.0 (crates.io), its documented way to begin an authorization with no scopes of its own: the MCP server names one scope in its
# challenge and three in its metadata.
#
# Guess: the authorization request has the scope of the challenge alone (MCP 2025-11-25: the challenge first, then scopes_supported), as with
# the SDKs for TypeScript, Python and Go.
# Seen: it asks for the challenge and all of scopes_supported together, and for offline_access where the authorization server lists it; where the
# MCP server names no scope, for every scope of the authorization server. So a person who only wants to read is asked to allow administration,
# however small the challenge is. with_initial_scope_selection, which a program must call, asks for the challenge, and still for offline_access.
#
# Needs Node 20, Rust 1.88 and some minutes. Fails if the behaviour changes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)/mcp-clients
folder=$(mktemp -d)
source "$here/parties.bash"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "client"
version = "0.0.0"
edition = "2024"

[profile.dev]
debug = false

[dependencies]
rmcp = { version = "=3.11.0", default-features = false, features = ["client", "auth", "reqwest-tls-no-provider"] }
rustls = { version = "0.23", default-features = false, features = ["ring"] }
tokio = { version = "1", features = ["rt", "macros"] }
TOML
cat >src/main.rs <<'RUST'
use rmcp::transport::auth::{AuthorizationRequest, OAuthState};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    rustls::crypto::ring::default_provider().install_default().map_err(|_| "no provider")?;
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().ok_or("an address")?;
    let mut state = OAuthState::new(&address, None).await?;
    let request = AuthorizationRequest::new("http://127.0.0.1/callback").with_preregistered_client("client");
    let request = if arguments.next().is_some() { request.with_initial_scope_selection() } else { request };
    state.start_authorization(request).await?;
    println!("{}", state.get_authorization_url().await?);
    Ok(())
}
RUST
nice cargo build --quiet

scope_of() { # further arguments of the client
  target/debug/client "$address" "$@" | node -e 'console.log(new URL(require("fs").readFileSync(0, "utf8")).searchParams.get("scope"))'
}
export CHALLENGE_SCOPE=notes:read RESOURCE_SCOPES='notes:read notes:write notes:admin' SERVER_SCOPES='notes:read notes:write notes:admin offline_access billing:write'
start named
echo "by default: $(scope_of)" | tee outcomes
echo "with_initial_scope_selection: $(scope_of initial)" | tee -a outcomes
export CHALLENGE_SCOPE= RESOURCE_SCOPES=
start unnamed
echo "by default, the MCP server names none: $(scope_of)" | tee -a outcomes
diff outcomes - <<'TEXT'
by default: notes:read notes:write notes:admin offline_access
with_initial_scope_selection: notes:read offline_access
by default, the MCP server names none: notes:read notes:write notes:admin offline_access billing:write
TEXT
