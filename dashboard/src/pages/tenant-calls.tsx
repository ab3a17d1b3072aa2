/** Refused calls of a tenant that concern none of its environments, such as one with a wrong kind of key. */
import { callsOfTenant } from '../queries/calls.ts'
import { useScope } from '../scope.tsx'
import { CallList } from './calls/list.tsx'

export default function TenantCalls() {
  const here = useScope()
  return (
    <CallList
      lead={`Calls that ${here.tenant.name} was refused outside of its environments in the last seven days, with the reason.`}
      source={callsOfTenant(here)}
    />
  )
}
