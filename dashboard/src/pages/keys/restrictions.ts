/** Converts the restrictions of a key from a form to the API. */
import type { ApiKey } from '@ostiary/sdk'

/** The numbers as they are typed. */
export interface Rate {
  limit: string
  window_seconds: string
}

export const standardRate = (is_live: boolean): Rate => ({ limit: is_live ? '1000' : '100', window_seconds: '10' })

export const rateOf = ({ rate_limit }: Pick<ApiKey, 'rate_limit'>, is_live: boolean): Rate =>
  rate_limit ? { limit: String(rate_limit.limit), window_seconds: String(rate_limit.window_seconds) } : standardRate(is_live)

/** `null` for the default. */
export function limitOf({ limit, window_seconds }: Rate, is_live: boolean): ApiKey['rate_limit'] {
  const standard = standardRate(is_live)
  if (limit === standard.limit && window_seconds === standard.window_seconds) return null
  return { limit: Number(limit), window_seconds: Number(window_seconds) }
}

/** The end of a key that works for this many days from now; `null` for no end. */
export const endAfter = (days: string, now: Date): string | null =>
  days === '' ? null : new Date(now.getTime() + Number(days) * 86_400_000).toISOString()

/** The values of both forms. `days` is how long the key works. */
export interface KeyValues extends Pick<ApiKey, 'scopes' | 'allowed_origins' | 'ip_allowlist'> {
  label: string
  rate: Rate
  days: string
}

export type KeyChange = Partial<Pick<ApiKey, 'allowed_origins' | 'ip_allowlist' | 'rate_limit' | 'expires_at' | 'scopes'>> & {
  label?: string
}

/** The members of `next` that differ from the key. A key without a label may stay without one. */
export const changeOf = (key: ApiKey, next: Required<KeyChange>): KeyChange =>
  Object.fromEntries(
    Object.entries(next).filter(([name, value]) => {
      const before = name === 'label' ? (key.label ?? '') : key[name as keyof KeyChange] // as: the names are those of the change
      return JSON.stringify(before) !== JSON.stringify(value)
    }),
  )

/** Whether calls that the key may make now are refused after the change: fewer origins or addresses. */
export const isNarrowed = (key: ApiKey, { allowed_origins, ip_allowlist }: KeyChange): boolean =>
  key.allowed_origins.some((origin) => allowed_origins && !allowed_origins.includes(origin)) ||
  (ip_allowlist !== undefined &&
    ip_allowlist.length > 0 &&
    (key.ip_allowlist.length === 0 || key.ip_allowlist.some((address) => !ip_allowlist.includes(address))))
