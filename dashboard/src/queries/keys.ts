/** Keys: of an environment, and the platform keys of a tenant. */
import { type Here, type InTenant, key, list, one } from './query.ts'

const DAY_MS = 86_400_000
const aDayAgo = () => new Date(Date.now() - DAY_MS).toISOString()

/** The key of all keys, also of other environments: a change can come from a dialog that knows the key only. */
export const allKeys = key('keys')

export const environmentKeys = {
  list: ({ client, at }: Here) => list(key('keys', at.environment_id), (cursor) => client.listAuthKeys({ ...at, cursor }).page()),
  firstHundred: ({ client, at }: Here) =>
    one(key('keys', at.environment_id, 'first'), (signal) => client.listAuthKeys({ ...at, limit: 100 }, { signal }).page()),
  one: ({ client, at }: Here, key_id: string) =>
    one(key('keys', 'one', key_id), (signal) => client.responses.getAuthKey({ ...at, key_id }, { signal })),
  /** Read again and again until a new key is used. */
  firstUse: ({ client, at }: Here, key_id: string) =>
    one(key('first-use', key_id), (signal) => client.getAuthKey({ ...at, key_id }, { signal })),
  usage: ({ client, at }: Here, key_id: string) =>
    one(key('usage', key_id), (signal) => client.authKeyUsage({ ...at, key_id, from: aDayAgo() }, { signal })),
}

/** A key with its version. */
export type KeyVersion = ReturnType<typeof environmentKeys.one>

export const platformKeys = {
  list: ({ client, tenant: { id: tenant_id } }: InTenant) =>
    list(key('keys', tenant_id), (cursor) => client.listPlatformKeys({ tenant_id, cursor }).page()),
  one: ({ client, tenant: { id: tenant_id } }: InTenant, key_id: string) =>
    one(key('keys', 'one', key_id), (signal) => client.responses.getPlatformKey({ tenant_id, key_id }, { signal })),
  firstUse: ({ client, tenant: { id: tenant_id } }: InTenant, key_id: string) =>
    one(key('first-use', key_id), (signal) => client.getPlatformKey({ tenant_id, key_id }, { signal })),
  usage: ({ client, tenant: { id: tenant_id } }: InTenant, key_id: string) =>
    one(key('usage', key_id), (signal) => client.platformKeyUsage({ tenant_id, key_id, from: aDayAgo() }, { signal })),
}
