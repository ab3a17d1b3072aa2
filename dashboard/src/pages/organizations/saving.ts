import type { Organization, OrganizationChange } from '@ostiary/sdk'
import type { Version } from '../../parts/save.tsx'
import { organizations } from '../../queries/organizations.ts'
import type { Here } from '../../queries/query.ts'

/** How an organization is saved, for the version that the form began with or the page shows. */
export function savingOrganization({ client, at }: Here, base: Version<Organization>) {
  const organization_id = base.data.id
  return {
    base,
    of: organizations.one({ client, at }, organization_id),
    write: (change: OrganizationChange, options: { if_match: string | undefined }) =>
      client.responses.changeOrganization({ organization_id }, change, options),
    changes: [organizations.all({ at })],
    label: (pointer: string) => ({ '/external_id': 'External id' })[pointer],
  }
}
