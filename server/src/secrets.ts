/**
 * Secrets at rest. Everything that must be read again (private keys, passwords of mail servers) is sealed with
 * AES-256-GCM under the master key, bound to the place it stands in. Keys for MACs are derived from one random secret
 * of the deployment, which is itself sealed, so a change of the master key changes no MAC.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto'
import { z } from 'zod'
import { type Db, type Statement, sql } from './db/db.ts'

export interface Secrets {
  seal(plaintext: string, place: string): string
  unseal(sealed: string, place: string): string
  /** HMAC-SHA-256 under a key of its own for each purpose. */
  mac(purpose: string, data: string): Buffer
  /** Whether a sealed text is under another key than the newest. */
  isStale(sealed: string): boolean
  /**
   * For a deployment that is older than the anchors of audit logs: records, under the master key, that all of them have one now.
   * `null` where that is recorded. See `setup/anchors.ts`.
   */
  readonly recordAnchors: Statement | null
}

/** None of the configured master keys opens what is stored. */
export class WrongMasterKey extends Error {
  override readonly name = 'WrongMasterKey'
}

const NameAndValue = z.object({ value: z.string() })

/** Stands behind the secret, inside the seal, so that only a holder of the master key can say that anchors were or were not made. */
const anchored = ' anchored'

/** Opens the deployment's secret, making it on the first start. Two first starts at once agree on one. */
export async function openSecrets(db: Db, master_keys: readonly Buffer[], random: (bytes: number) => Buffer): Promise<Secrets> {
  const sealer = createSealer(master_keys, random)
  const place = 'deployment.secret'
  const fresh = sealer.seal(random(32).toString('base64') + anchored, place)
  const stored = () => db.maybeOne(NameAndValue, sql`select value from deployment where name = 'secret'`)
  let row = await stored()
  if (!row) {
    await db.run(sql`insert into deployment (name, value) values ('secret', ${fresh}) on conflict (name) do nothing`)
    row = await stored()
  }
  if (!row) throw new Error('The secret of the deployment was stored and cannot be read.')
  const plaintext = sealer.unseal(row.value, place)
  const [text = ''] = plaintext.split(' ')
  const secret = Buffer.from(text, 'base64')
  const has_anchors = plaintext.endsWith(anchored)
  const replaceBy = (stored: string, sealed: string) =>
    sql`update deployment set value = ${sealed} where name = 'secret' and value = ${stored}`
  let { value } = row
  if (sealer.isStale(value)) {
    const resealed = sealer.seal(plaintext, place)
    await db.run(replaceBy(value, resealed))
    value = resealed
  }

  const derived = new Map<string, Buffer>()
  const keyFor = (purpose: string) => {
    let key = derived.get(purpose)
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', secret, '', `ostiary:${purpose}`, 32))
      derived.set(purpose, key)
    }
    return key
  }
  const recordAnchors = has_anchors ? null : replaceBy(value, sealer.seal(text + anchored, place))
  return { ...sealer, recordAnchors, mac: (purpose, data) => createHmac('sha256', keyFor(purpose)).update(data).digest() }
}

/** Sealed text is `v1.{key}.{nonce}.{ciphertext and tag}`; `{key}` tells which master key, not what it is. */
function createSealer(master_keys: readonly Buffer[], random: (bytes: number) => Buffer) {
  const keys = new Map(
    master_keys.map((key) => [createHash('sha256').update('ostiary:master').update(key).digest('base64url').slice(0, 8), key]),
  )
  const [newest] = keys
  if (!newest) throw new Error('A master key is needed.')
  const [newest_id, newest_key] = newest

  return {
    seal(plaintext: string, place: string) {
      const nonce = random(12)
      const cipher = createCipheriv('aes-256-gcm', newest_key, nonce).setAAD(Buffer.from(place))
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return ['v1', newest_id, nonce.toString('base64url'), body.toString('base64url')].join('.')
    },
    unseal(sealed: string, place: string) {
      const [version, id = '', nonce = '', body = ''] = sealed.split('.')
      const key = keys.get(id)
      if (version !== 'v1' || !key)
        throw new WrongMasterKey(`What is stored at ${place} was sealed with another master key. Set OSTIARY_MASTER_KEY to "new,old".`)
      const bytes = Buffer.from(body, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), { authTagLength: 16 }).setAAD(
        Buffer.from(place),
      )
      decipher.setAuthTag(bytes.subarray(-16))
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8')
    },
    isStale: (sealed: string) => sealed.split('.')[1] !== newest_id,
  }
}
