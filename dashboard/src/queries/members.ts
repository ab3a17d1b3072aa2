import { type InTenant, key, list, type OfTenant } from './query.ts'

export const members = {
  all: ({ tenant }: OfTenant) => key('members', tenant.id),
  list: ({ client, tenant: { id: tenant_id } }: InTenant) =>
    list(key('members', tenant_id), (cursor) => client.listMembers({ tenant_id, cursor }).page()),
}
