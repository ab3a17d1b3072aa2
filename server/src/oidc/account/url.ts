/** The address of the account page. */
import type { Issuer } from '../issuer.ts'

/** The account page with these parameters, such as an action. Those that are `null` are left out. */
export function accountUrl({ issuer }: { issuer: Pick<Issuer, 'url'> }, parameters: Readonly<Record<string, string | null>> = {}): string {
  const set = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null)
  return `${issuer.url}/account${set.length > 0 ? `?${new URLSearchParams(set)}` : ''}`
}
