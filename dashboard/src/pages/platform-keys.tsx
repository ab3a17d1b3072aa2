/** The platform keys of a tenant: they automate set-up across projects, by scopes. */

import type { ApiKey } from '@ostiary/sdk'
import { ByApi } from '../parts/snippets.tsx'
import { Tag } from '../parts/tag.tsx'
import { platformKeys } from '../queries/keys.ts'
import { useScope } from '../scope.tsx'
import { KeysPage } from './keys/page.tsx'

export default function PlatformKeys() {
  const here = useScope()
  const { client, tenant } = here
  const at = { tenant_id: tenant.id }
  return (
    <KeysPage
      title="Platform keys"
      lead={`Keys of ${tenant.name} for automation: they create projects and set up environments. They cannot make keys of their own kind.`}
      needs="admin"
      second={{ head: 'Scopes', cell: scopesOf }}
      empty="No platform key. Create one for a pipeline that sets up projects."
      snippet={<ByApi operation="listProjects" path="/v1/platform/projects" />}
      reads={platformKeys(here)}
      create={({ type: _, allowed_origins: __, ...form }) => client.createPlatformKey(at, form)}
      change={(key_id, change, options) => client.responses.changePlatformKey({ ...at, key_id }, change, options)}
      rotate={(key_id) => client.rotatePlatformKey({ ...at, key_id })}
      revoke={(key_id) => client.revokePlatformKey({ ...at, key_id })}
    />
  )
}

const scopesOf = ({ scopes }: ApiKey) => {
  if (scopes.includes('*'))
    return (
      <Tag tone="warn" icon={null}>
        Everything, also future
      </Tag>
    )
  return scopes.length > 3 ? `${scopes.length} scopes` : scopes.join(', ')
}
