/**
 * Secrets at rest. Secrets that the service must read again, such as private keys and passwords of mail servers, are sealed with
 * AES-256-GCM under the master key and bound to their row by associated data (`sealed-columns.ts`). Keys for MACs are derived from one
 * random secret of the deployment, which is itself sealed, so a change of the master key changes no MAC.
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { sha256 } from '../../base/digest.ts'
import { type Db, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'
import { type AssociatedData, sealed_columns } from './sealed-columns.ts'

export interface Secrets {
  seal(plaintext: string, associated_data: AssociatedData): string
  unseal(sealed: string, associated_data: AssociatedData): string
  /** HMAC-SHA-256, with a separate key for each purpose. */
  mac(purpose: string, data: string): Buffer
  /** Reports whether a sealed text is under an older key than the newest. */
  isStale(sealed: string): boolean
}

/** None of the configured master keys opens the stored data. */
export class WrongMasterKey extends Error {
  override readonly name = 'WrongMasterKey'
}

const Stored = z.object({ value: z.string() })

const associated_data = sealed_columns.deployment.associatedData('secret')

/** Opens the deployment's secret, and creates it on the first start. Two first starts at the same time agree on one secret. */
export async function openSecrets(db: Db, master_keys: readonly Buffer[], random: (bytes: number) => Buffer): Promise<Secrets> {
  const sealer = createSealer(master_keys, random)
  const value = await readOrCreateSecret(db, () => sealer.seal(random(32).toString('base64'), associated_data))
  return { ...sealer, mac: createMac(Buffer.from(sealer.unseal(value, associated_data), 'base64')) }
}

async function readOrCreateSecret(db: Db, create: () => string): Promise<string> {
  const read = () => db.maybeOne(Stored, sql`select value from deployment where name = 'secret'`)
  let row = await read()
  if (!row) {
    await db.run(insertInto('deployment', { name: 'secret', value: create() }, sql`on conflict (name) do nothing`))
    row = await read()
  }
  if (!row) throw new Error('The secret of the deployment was stored and cannot be read.')
  return row.value
}

function createMac(secret: Buffer): Secrets['mac'] {
  const keys = new Map<string, KeyObject>() // Node computes a MAC with one five times faster than with a buffer
  return (purpose, data) => {
    let key = keys.get(purpose)
    if (!key) {
      key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `ostiary:${purpose}`, 32)))
      keys.set(purpose, key)
    }
    return createHmac('sha256', key).update(data).digest()
  }
}

/** A sealed text is `v1.{key}.{nonce}.{ciphertext and tag}`. `{key}` identifies the master key and does not reveal it. */
function createSealer(master_keys: readonly Buffer[], random: (bytes: number) => Buffer) {
  const keys = new Map(
    master_keys.map((key) => [sha256(Buffer.concat([Buffer.from('ostiary:master'), key]), 'base64url').slice(0, 8), key]),
  )
  const [newest] = keys
  if (!newest) throw new Error('A master key is needed.')
  const [newest_id, newest_key] = newest

  return {
    seal(plaintext: string, associated_data: AssociatedData) {
      const nonce = random(12)
      const body = encrypt(newest_key, nonce, Buffer.from(plaintext), associated_data)
      return ['v1', newest_id, nonce.toString('base64url'), body.toString('base64url')].join('.')
    },
    unseal(sealed: string, associated_data: AssociatedData) {
      const [version, id = '', nonce = '', body = ''] = sealed.split('.')
      const key = keys.get(id)
      if (version !== 'v1' || !key)
        throw new WrongMasterKey(`The secret ${associated_data} was sealed with another master key. Set OSTIARY_MASTER_KEY to "new,old".`)
      return decrypt(key, Buffer.from(nonce, 'base64url'), Buffer.from(body, 'base64url'), associated_data).toString('utf8')
    },
    isStale: (sealed: string) => sealed.split('.')[1] !== newest_id,
  }
}

/**
 * Seals bytes under a key that nobody has alone: a MAC of the deployment over a secret of the browser. Neither the database with the
 * master key, nor the browser can open them without the other.
 */
export function sealForBrowser(key: Buffer, nonce: Buffer, plaintext: Buffer, purpose: string): string {
  return Buffer.concat([nonce, encrypt(key, nonce, plaintext, purpose)]).toString('base64url')
}

/** `null` for text that was not sealed under this key for this purpose. */
export function openForBrowser(key: Buffer, sealed: string, purpose: string): Buffer | null {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < nonce_bytes + tag_bytes) return null
  try {
    return decrypt(key, bytes.subarray(0, nonce_bytes), bytes.subarray(nonce_bytes), purpose)
  } catch {
    return null
  }
}

const nonce_bytes = 12
const tag_bytes = 16

/** The ciphertext with its tag. */
function encrypt(key: Buffer, nonce: Buffer, plaintext: Buffer, associated_data: string): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(associated_data))
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: Buffer, nonce: Buffer, body: Buffer, associated_data: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tag_bytes }).setAAD(Buffer.from(associated_data))
  decipher.setAuthTag(body.subarray(-tag_bytes))
  return Buffer.concat([decipher.update(body.subarray(0, -tag_bytes)), decipher.final()])
}
