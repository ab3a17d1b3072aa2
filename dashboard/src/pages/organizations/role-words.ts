/** The roles of members, in words. Pure functions. */
import type { EnvironmentRole } from '@ostiary/sdk'

type Role = Pick<EnvironmentRole, 'slug' | 'name' | 'kind' | 'default'>

export const ofMembers = <R extends Pick<Role, 'kind'>>(every: readonly R[]): R[] => every.filter(({ kind }) => kind === 'organization')

export const nameOfRole = (every: readonly Pick<Role, 'slug' | 'name'>[], slug: string): string =>
  every.find((role) => role.slug === slug)?.name ?? slug

/** Which roles members have without being given them; `null` without such a role. */
export function everyMemberHas(every: readonly Role[]): string | null {
  const names = ofMembers(every)
    .filter((role) => role.default)
    .map(({ name }) => name)
  return names.length === 0 ? null : `Every member has ${names.join(', ')}.`
}
