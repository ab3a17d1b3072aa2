// pure
/** The rules for the fields of a webhook. */
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { isPrivateLiteral } from '../../base/addresses.ts'
import type { Network } from '../../base/networks.ts'

/** Refuses literal private addresses. Host names are checked when the connection is made. */
export function webhookUrlProblem(
  url: string,
  { environment_type, base_url, allowed }: { environment_type: EnvironmentType; base_url: string; allowed: readonly Network[] },
): string | null {
  const parsed = new URL(url)
  if (environment_type === 'live' && parsed.protocol !== 'https:' && parsed.origin !== base_url)
    return 'A Live environment needs an https URL.'
  if (!isPrivateLiteral(parsed, allowed)) return null
  const advice =
    environment_type === 'test'
      ? ' For development, the operator can allow a network: OSTIARY_WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8,::1/128 allows this machine.'
      : ''
  return `This address is private. Use a public address.${advice}`
}
