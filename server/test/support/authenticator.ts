/**
 * An authenticator in software (WebAuthn §6), which makes the JSON that a browser posts. Every fact of its answers can be changed, so
 * that tests send what no real authenticator would.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256'

/** The changes of a test to a response. */
export interface Changes {
  origin?: string
  rp_id?: string
  challenge?: string
  type?: string
  /** The person was verified, and was present. */
  verified?: boolean
  present?: boolean
  counter?: number
  backup_eligible?: boolean
  backed_up?: boolean
  user_handle?: string | null
  cross_origin?: boolean
  /** The attestation object has this format and statement. */
  attestation?: { fmt: string; statement: Cbor }
  /** Replaces the public key of a registration. */
  public_key?: Cbor
  aaguid?: string
  transports?: string[]
  /** Spoils the signature. */
  wrong_signature?: boolean
}

const keyPairs = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

export type SoftwareAuthenticator = ReturnType<typeof createAuthenticator>

/** A device with one passkey. `facts` are those of its kind. */
export function createAuthenticator(origin: string, algorithm: Algorithm = 'ES256', facts: Changes = {}) {
  const { privateKey, publicKey } = keyPairs[algorithm]()
  const credential_id = randomBytes(32).toString('base64url')
  const rp_id = new URL(origin).hostname
  let counter = 0
  let user_handle: string | null = null

  function authenticatorData(change: Changes, attested: Buffer | null): Buffer {
    const { verified = true, present = true, backup_eligible = false, backed_up = false } = change
    const flags = (present ? 1 : 0) | (verified ? 4 : 0) | (backup_eligible ? 8 : 0) | (backed_up ? 16 : 0) | (attested === null ? 0 : 64)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(change.counter ?? counter)
    return Buffer.concat([sha256(change.rp_id ?? rp_id), Buffer.from([flags]), count, attested ?? Buffer.alloc(0)])
  }

  const clientData = (type: string, challenge: string, change: Changes) =>
    Buffer.from(
      JSON.stringify({
        type: change.type ?? type,
        challenge: change.challenge ?? challenge,
        origin: change.origin ?? origin,
        crossOrigin: change.cross_origin ?? false,
      }),
    )

  return {
    credential_id,
    get user_handle() {
      return user_handle
    },

    /** Answers the options of a registration. */
    create(options: { challenge: string; user: { id: string } }, more: Changes = {}) {
      const change = { ...facts, ...more }
      user_handle = options.user.id
      const id = Buffer.from(credential_id, 'base64url')
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const aaguid = Buffer.from((change.aaguid ?? '').replaceAll('-', '').padEnd(32, '0'), 'hex')
      const attested = Buffer.concat([aaguid, length, id, encode(change.public_key ?? coseKey(algorithm, publicKey))])
      const { fmt, statement } = change.attestation ?? { fmt: 'none', statement: new Map() }
      const authData = authenticatorData(change, attested)
      const attestationObject = encode(new Map<string, Cbor>([['fmt', fmt], ['attStmt', statement], ['authData', authData]])) // biome-ignore format: one line
      return {
        id: credential_id,
        rawId: credential_id,
        type: 'public-key',
        authenticatorAttachment: 'platform',
        clientExtensionResults: { credProps: { rk: true } },
        response: {
          clientDataJSON: clientData('webauthn.create', options.challenge, change).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: change.transports ?? ['internal', 'hybrid'],
        },
      }
    },

    /** Answers the options of a sign-in. Raises its counter, if it has one. */
    get(options: { challenge: string }, more: Changes = {}) {
      const change = { ...facts, ...more }
      if (change.counter === undefined) counter += facts.counter === undefined ? 1 : 0
      const authData = authenticatorData(change, null)
      const client_data = clientData('webauthn.get', options.challenge, change)
      const signed = Buffer.concat([authData, sha256(client_data)])
      const signature = sign(algorithm === 'EdDSA' ? null : 'sha256', signed, privateKey)
      if (change.wrong_signature) signature.writeUInt8(signature.readUInt8(40) ^ 1, 40)
      const handle = change.user_handle === undefined ? user_handle : change.user_handle
      return {
        id: credential_id,
        rawId: credential_id,
        type: 'public-key',
        authenticatorAttachment: 'platform',
        clientExtensionResults: {},
        response: {
          clientDataJSON: client_data.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
          ...(handle === null ? {} : { userHandle: handle }),
        },
      }
    },
  }
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** RFC 9053 §7, RFC 8230 §4. */
export function coseKey(algorithm: Algorithm, key: KeyObject): Map<number, Cbor> {
  const { x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' })
  const bytes = (text: string) => Buffer.from(text, 'base64url')
  if (algorithm === 'ES256') return new Map<number, Cbor>([[1, 2], [3, -7], [-1, 1], [-2, bytes(x)], [-3, bytes(y)]]) // biome-ignore format: one line
  if (algorithm === 'EdDSA') return new Map<number, Cbor>([[1, 1], [3, -8], [-1, 6], [-2, bytes(x)]]) // biome-ignore format: one line
  return new Map<number, Cbor>([[1, 3], [3, -257], [-1, bytes(n)], [-2, bytes(e)]]) // biome-ignore format: one line
}

export type Cbor = number | string | Uint8Array | readonly Cbor[] | Map<string | number, Cbor>

/** RFC 8949 §3: the few types that WebAuthn uses. */
export function encode(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, inner]) => [encode(key), encode(inner)])])
  return Buffer.concat([head(4, value.length), ...value.map(encode)])
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}
