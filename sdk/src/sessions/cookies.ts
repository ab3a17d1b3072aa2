/** Encrypted cookies: JWE by jose, a key of its own for each name, issuer and client, and the limit of browsers. */
import { CompactEncrypt, compactDecrypt } from 'jose'
import { SessionError } from './options.ts'

/** RFC 6265 §6.1: what a browser keeps of one cookie, its name and attributes included. Chromium refuses a longer one without a word. */
const largest_cookie = 4_096
/** More than browsers send. A longer header is not read. */
const longest_header = 65_536

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

export interface Jar {
  /** The value of a cookie; `null` if there is none, or it is not ours. */
  read(header: string | null, name: string): Promise<Record<string, unknown> | null>
  /** The header `Set-Cookie` for a value. */
  write(name: string, value: Readonly<Record<string, unknown>>, max_age_seconds: number): Promise<string>
  /** The header `Set-Cookie` that removes a cookie. */
  clear(name: string): string
}

export interface JarOptions {
  /** The first encrypts; all decrypt. */
  secrets: readonly string[]
  /** The owner of the sessions in the cookies: a cookie of another issuer or client is not ours, although the secret is the same. */
  issuer: string
  client_id: string
  /** Whether the application has `https`; only then does a browser take the prefix `__Host-`. */
  is_secure: boolean
}

export function createJar({ secrets, issuer, client_id, is_secure }: JarOptions): Jar {
  const keys = new Map<string, Promise<CryptoKey>>()
  const keyOf = (secret: string, name: string) => {
    const known = keys.get(`${name} ${secret}`) ?? deriveKey(secret, [name, issuer, client_id])
    keys.set(`${name} ${secret}`, known)
    return known
  }
  const fullName = (name: string) => `${is_secure ? '__Host-' : ''}ostiary-${name}`
  // RFC 6265bis §4.1.3.2: `__Host-` means Secure, no Domain, and the path `/`.
  const line = (name: string, value: string, max_age_seconds: number) =>
    `${fullName(name)}=${value}; Path=/; Max-Age=${max_age_seconds}; HttpOnly; SameSite=Lax${is_secure ? '; Secure' : ''}`

  return {
    async read(header, name) {
      const text = valueIn(header, fullName(name))
      if (text === null) return null
      for (const secret of secrets) {
        const opened = await open(text, await keyOf(secret, name))
        if (opened !== null) return opened
      }
      return null
    },
    async write(name, value, max_age_seconds) {
      const plain = new TextEncoder().encode(JSON.stringify(value))
      const key = await keyOf(secrets[0] ?? '', name)
      const sealed = await new CompactEncrypt(plain).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(key)
      const cookie = line(name, sealed, max_age_seconds)
      if (cookie.length > largest_cookie)
        throw new SessionError(
          'cookie_too_large',
          `The cookie ${fullName(name)} has ${cookie.length} bytes, and browsers keep ${largest_cookie}. Ask for fewer scopes, or for opaque access tokens.`,
        )
      return cookie
    },
    clear: (name) => line(name, '', 0),
  }
}

function valueIn(header: string | null, name: string): string | null {
  if (header === null || header.length > longest_header) return null
  const found = header.split(';').find((pair) => pair.trimStart().startsWith(`${name}=`))
  return found === undefined ? null : found.trim().slice(name.length + 1)
}

/** RFC 5869 §3.2: the purpose separates the keys, so that no cookie passes for one of another name, issuer or client. */
async function deriveKey(secret: string, purpose: readonly string[]): Promise<CryptoKey> {
  const bytes = new TextEncoder()
  const material = await crypto.subtle.importKey('raw', bytes.encode(secret), 'HKDF', false, ['deriveKey'])
  const derivation = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(0),
    info: bytes.encode(`ostiary cookie ${JSON.stringify(purpose)}`),
  }
  return crypto.subtle.deriveKey(derivation, material, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

async function open(text: string, key: CryptoKey): Promise<Record<string, unknown> | null> {
  try {
    const allowed = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }
    const { plaintext } = await compactDecrypt(text, key, allowed)
    return JSON.parse(new TextDecoder().decode(plaintext)) as Record<string, unknown> // as: encrypted by `write`
  } catch {
    return null // another secret, or changed
  }
}
