/** The change of an application that lets refused calls through: what it does, and what it gives up. */
import type { Application, RefusedCall } from '@ostiary/sdk'

export type Remedy = NonNullable<RefusedCall['remedy']>

interface Words {
  does: string
  consequence: string
}

const words: Record<keyof Remedy, Words> = {
  token_endpoint_auth_method: {
    does: 'Take the secret in the header or in the body',
    consequence: 'Both places count from now on, but never both in one request. The secret stays the same.',
  },
  unknown_scopes: {
    does: 'Leave unknown scopes out',
    consequence:
      'Scopes that nothing in this environment has are left out of its requests instead of refused. They are never granted, and disabled or forbidden scopes are refused as before.',
  },
  nonce_replaces_pkce: {
    does: 'Take a nonce in the place of PKCE',
    consequence:
      'A request with a nonce needs no code challenge. The application itself must then compare the nonce of the ID token. A challenge that is sent is enforced as before.',
  },
  require_pkce: {
    does: 'Require neither PKCE nor a nonce',
    consequence:
      'Nothing then shows a stolen code that an attacker puts into the sign-in of another browser. Switch on PKCE or the nonce in the application instead, if it has either.',
  },
}

/** In the order of the table. */
const fields = Object.keys(words) as (keyof Remedy)[] // as: keys of a const object are exactly its names

/** Returns the fields of the remedy that differ from the application as it is now; `null` if none differs. */
export function remaining(remedy: Remedy, application: Application): Remedy | null {
  const left = fields.filter((field) => remedy[field] !== undefined && remedy[field] !== application[field])
  return left.length === 0 ? null : Object.fromEntries(left.map((field) => [field, remedy[field]]))
}

export const wordsOf = (remedy: Remedy): Words[] => fields.filter((field) => remedy[field] !== undefined).map((field) => words[field])

/** The secret was right, so the application itself sent the call. Anybody can send a request to the authorization endpoint. */
export const isProved = (remedy: Remedy): boolean => remedy.token_endpoint_auth_method !== undefined
