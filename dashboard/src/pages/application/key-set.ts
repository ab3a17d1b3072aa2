/** Returns the problem of a key set while it is typed; `null` for none. A string is unfinished JSON. The service checks the keys. */
export function keySetProblem(jwks: unknown): string | null {
  if (jwks === null) return null
  if (typeof jwks === 'string') return 'This is not JSON yet.'
  const has_keys = typeof jwks === 'object' && 'keys' in jwks && Array.isArray(jwks.keys)
  return has_keys ? null : 'A key set has the member “keys”, such as {"keys": [{"kty": "RSA", …}]}.'
}
