/** Reads a key set while it is typed. The service checks the keys themselves. */
import type { Application } from '@ostiary/sdk'

interface Read {
  jwks: Application['jwks']
  problem: string | null
}

export function readKeySet(text: string): Read {
  if (text.trim() === '') return { jwks: null, problem: null }
  try {
    const jwks = JSON.parse(text)
    if (Array.isArray(jwks?.keys)) return { jwks, problem: null }
  } catch {
    return { jwks: null, problem: 'This is not JSON yet.' }
  }
  return { jwks: null, problem: 'A key set has the member “keys”, such as {"keys": [{"kty": "RSA", …}]}.' }
}
