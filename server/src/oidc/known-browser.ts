/** The mark of a browser that signed in to an account before, which has its own share of attempts. */
import { timingSafeEqual } from 'node:crypto'
import { digestOf } from '../base/digest.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { accountOf } from '../domain/users/attempts.ts'
import type { Browser } from './browser.ts'
import type { OidcCall } from './call.ts'
import { cookie } from './cookies.ts'

/** The account of a mark. A mark becomes invalid when the email or the password changes. */
export interface MarkedAccount {
  user_id: string
  email: string
  password_hash: string | null
}

/** Marks a browser that signed in to this account. `domain/users/attempts.ts` counts its attempts apart from those of other browsers. */
export function deviceCookie(deployment: Pick<Deployment, 'secrets' | 'random'>, call: OidcCall, account: MarkedAccount): string {
  const id = deployment.random(12).toString('base64url')
  return cookie(call, 'device', `${id}.${deviceMac(deployment, call, account, id)}`, 86_400 * 365)
}

/** The id of the mark of this browser; `null` where it has none that is valid for this account. */
export function knownDevice(
  deployment: Pick<Deployment, 'secrets'>,
  call: OidcCall,
  browser: Browser,
  account: MarkedAccount,
): string | null {
  const [, id = '', mac = ''] = /^([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{32})$/.exec(browser.device ?? '') ?? []
  const sent = Buffer.from(mac)
  const expected = Buffer.from(deviceMac(deployment, call, account, id))
  return sent.length === expected.length && timingSafeEqual(sent, expected) ? id : null
}

/** A digest of the password hash is enough, because every hash has its own salt. */
function deviceMac({ secrets }: Pick<Deployment, 'secrets'>, call: OidcCall, account: MarkedAccount, id: string): string {
  const { user_id, email, password_hash } = account
  const marked = JSON.stringify([call.issuer.environment_id, user_id, accountOf(email), digestOf(password_hash ?? ''), id])
  return secrets.mac('device', marked).toString('base64url').slice(0, 32)
}
