/** What is wrong with a key set while it is typed; `null` for none. A text is JSON to be. The service checks the keys themselves. */
export function keySetProblem(jwks: unknown): string | null {
  if (jwks === null) return null
  if (typeof jwks === 'string') return 'This is not JSON yet.'
  const has_keys = typeof jwks === 'object' && 'keys' in jwks && Array.isArray(jwks.keys)
  return has_keys ? null : 'A key set has the member “keys”, such as {"keys": [{"kty": "RSA", …}]}.'
}
