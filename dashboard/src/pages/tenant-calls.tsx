/** Refused calls of a tenant that concern none of its environments, such as one with a wrong kind of key. */
import { callsOfTenant } from '../queries/calls.ts'
import { useScope } from '../scope.tsx'
import { CallList } from './calls/list.tsx'

export default function TenantCalls() {
  const { client, tenant } = useScope()
  const here = { client, tenant }
  return (
    <CallList
      lead={`Calls that ${tenant.name} was refused outside of its environments in the last seven days, with the reason.`}
      source={{
        base: null,
        list: (filter) => callsOfTenant.list(here, filter),
        summary: callsOfTenant.summary(here),
        one: (request_id) => callsOfTenant.one(here, request_id),
        events: null,
      }}
    />
  )
}
