/** Keys: of an environment, and the platform keys of a tenant. */
import type { ApiKey, KeyUsage, Page } from '@ostiary/sdk'
import type { Version } from '../parts/save.tsx'
import { type Here, type InTenant, key, list, one, type Signal } from './query.ts'

const DAY_MS = 86_400_000

/** Why a key deserves a look: it was not used for 30 days. */
export const isQuiet = ({ revoked_at, last_used_at, created_at }: ApiKey) =>
  revoked_at === null && Date.now() - Date.parse(last_used_at ?? created_at) > 30 * DAY_MS

/** The key of all keys, also of other environments: a change can come from a dialog that knows the key only. */
export const allKeys = key('keys')

/** The calls that read the keys of one place. */
interface Calls {
  list: (cursor: string | undefined) => Promise<Page<ApiKey>>
  get: (key_id: string, options: Signal) => Promise<Version<ApiKey>>
  usage: (query: { key_id: string; from: string }, options: Signal) => Promise<KeyUsage>
}

const readsBy = (place: string, calls: Calls) => ({
  list: list(key('keys', place), calls.list),
  one: (key_id: string) => one(key('keys', 'one', key_id), (options) => calls.get(key_id, options)),
  /** Read again and again until a new key is used. */
  firstUse: (key_id: string) => one(key('first-use', key_id), (options) => calls.get(key_id, options)),
  usage: (key_id: string) =>
    one(key('usage', key_id), (options) => calls.usage({ key_id, from: new Date(Date.now() - DAY_MS).toISOString() }, options)),
})
export type KeyReads = ReturnType<typeof readsBy>

export const environmentKeys = ({ client, at }: Here) =>
  readsBy(at.environment_id, {
    list: (cursor) => client.listAuthKeys({ ...at, cursor }).page(),
    get: (key_id, options) => client.responses.getAuthKey({ ...at, key_id }, options),
    usage: (query, options) => client.authKeyUsage({ ...at, ...query }, options),
  })

export const platformKeys = ({ client, tenant: { id: tenant_id } }: InTenant) =>
  readsBy(tenant_id, {
    list: (cursor) => client.listPlatformKeys({ tenant_id, cursor }).page(),
    get: (key_id, options) => client.responses.getPlatformKey({ tenant_id, key_id }, options),
    usage: (query, options) => client.platformKeyUsage({ tenant_id, ...query }, options),
  })

export const firstHundredKeys = ({ client, at }: Here) =>
  one(key('keys', at.environment_id, 'first'), (options) => client.listAuthKeys({ ...at, limit: 100 }, options).page())
