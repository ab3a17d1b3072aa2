// pure
/**
 * The text of a refresh token. It contains its chain, its number in the chain, 128 random bits and a MAC over these and the environment, so
 * a token is recognised as ours however long ago it was spent, and no row is kept for it (decision 0125). Clients see an opaque text.
 *
 *     svc_rt_{chain}.{number}.{random}.{mac}
 */
import { timingSafeEqual } from 'node:crypto'

interface RefreshTokenParts {
  /** The id of the grant, without its prefix. */
  chain: string
  /** The first token of a chain has 1. */
  number: number
  /** 16 bytes in base64url. */
  random: string
}

/** A MAC of the deployment with a key for refresh tokens alone. */
type RefreshTokenMac = (data: string) => Buffer

const prefix = 'svc_rt_'
export const first_number = 1
export const random_bytes = 16
const mac_bytes = 16
/** Any token of ours is shorter. Longer text is not looked at. */
export const longest_refresh_token = 128

const form = /^svc_rt_([0-9a-z]{26})\.([1-9][0-9]{0,14})\.([A-Za-z0-9_-]{22})\.[A-Za-z0-9_-]{22}$/

/** The one text of these parts in this environment. */
export function refreshTokenOf({ chain, number, random }: RefreshTokenParts, environment_id: string, mac: RefreshTokenMac): string {
  const tag = mac(`${environment_id}.${chain}.${number}.${random}`).subarray(0, mac_bytes)
  return `${prefix}${chain}.${number}.${random}.${tag.toString('base64url')}`
}

/** The parts of a token that this deployment made for this environment; `null` for any other text. Compares in constant time. */
export function readRefreshToken(text: string, environment_id: string, mac: RefreshTokenMac): RefreshTokenParts | null {
  if (text.length > longest_refresh_token) return null
  const [, chain, number, random] = form.exec(text) ?? []
  if (chain === undefined || number === undefined || random === undefined) return null
  const parts = { chain, number: Number(number), random }
  return isSame(text, refreshTokenOf(parts, environment_id, mac)) ? parts : null
}

function isSame(text: string, expected: string): boolean {
  const [a, b] = [Buffer.from(text), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
