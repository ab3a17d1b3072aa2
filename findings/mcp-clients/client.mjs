/** Signs a person in at an MCP server by the MCP SDKs for TypeScript, for the programs beside this file. The person consents to everything. */
const [package_of_sdk, address] = process.argv.slice(2)
const { StreamableHTTPClientTransport } = await import(package_of_sdk)
const kept = {}
const transport = new StreamableHTTPClientTransport(new URL(address), {
  authProvider: {
    redirectUrl: 'http://127.0.0.1/callback',
    clientMetadata: {
      client_name: 'A client',
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
    },
    clientInformation: () => kept.client ?? { client_id: 'client' },
    saveClientInformation: (client) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = process.env.FORGETS === undefined ? tokens : { ...tokens, refresh_token: undefined }
    },
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier
    },
    redirectToAuthorization: (url) => {
      kept.url = url
    },
    // The member is optional. Without it the transport cannot make the program forget what it keeps.
    ...(process.env.INVALIDATES === undefined
      ? {}
      : {
          invalidateCredentials: () => {
            kept.tokens = undefined
          },
        }),
  },
})
const call = () =>
  transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' }).then(
    () => 'the call succeeds',
    (error) => error.message || error.constructor.name,
  )
await transport.start()
await call() // 401
const { headers } = await fetch(kept.url, { redirect: 'manual' })
const answer = new URL(headers.get('location')).searchParams
await transport.finishAuth(package_of_sdk.includes('/sdk/') ? answer.get('code') : answer)
kept.url = undefined
const outcome = await call()
console.log(kept.url ? `asks the person for ${kept.url.searchParams.get('scope')}` : outcome)
