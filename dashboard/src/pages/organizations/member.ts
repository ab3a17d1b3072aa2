import type { OrganizationMember } from '@ostiary/sdk'

/** A member, which has the id of its user. */
export type Member = OrganizationMember & { id: string }

export const memberName = ({ email, name, user_id }: Pick<Member, 'email' | 'name' | 'user_id'>): string => email ?? name ?? user_id
