/** Refused calls of a tenant that concern none of its environments, such as one with a wrong kind of key. */
import { useScope } from '../scope.tsx'
import { CallList } from './calls/list.tsx'

export default function TenantCalls() {
  const { client, tenant } = useScope()
  const at = { tenant_id: tenant.id }
  return (
    <CallList
      lead={`Calls that ${tenant.name} was refused outside of its environments in the last seven days, with the reason.`}
      source={{
        key: tenant.id,
        base: null,
        list: (filter, cursor) => client.listRefusedCallsOfTenant({ ...at, ...filter, cursor }).page(),
        summary: (signal) => client.summariseRefusedCallsOfTenant(at, { signal }),
        read: (request_id, signal) => client.getRefusedCallOfTenant({ ...at, request_id }, { signal }),
        events: null,
      }}
    />
  )
}
