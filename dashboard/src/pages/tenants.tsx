/** The tenants of a person: the choice among them, and a new one. */

import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api.ts'
import { Outside } from '../frame/outside.tsx'
import { ownTenants } from '../frame/places.ts'
import { useMe } from '../frame/scopes.tsx'
import { Icon } from '../parts/icon.tsx'
import { NamedDialog } from '../parts/named-dialog.tsx'
import { Titled } from '../parts/page.tsx'
import { Loaded } from '../parts/reading.tsx'
import { me as queryOfMe } from '../queries/tenancy.ts'

export default function Tenants() {
  const me = useMe()
  const navigate = useNavigate()
  const [is_creating, setCreating] = useState(false)
  const create = (
    <button type="button" className="btn pri" onClick={() => setCreating(true)}>
      <Icon name="plus" /> New tenant
    </button>
  )
  return (
    <Outside me={me.data}>
      <Loaded of={me}>
        {(me) => {
          const tenants = ownTenants(me)
          return (
            <Titled
              title={tenants.length === 0 ? 'No tenant yet' : 'Choose a tenant'}
              lead="A tenant is one organisation with its projects and members."
              actions={tenants.length === 0 ? null : create}
            >
              {tenants.length === 0 ? (
                <section className="card empty">
                  <p>You are a member of no tenant. Create one, or ask an administrator of another for an invitation.</p>
                  {create}
                </section>
              ) : (
                <ul className="choices">
                  {tenants.map(({ tenant_id, slug, name, role }) => (
                    <li key={tenant_id}>
                      <Link className="card" to="/t/$tenant" params={{ tenant: slug }}>
                        <Icon name="building" size={20} />
                        <span>
                          <b>{name}</b>
                          <span className="small muted">{slug}</span>
                        </span>
                        <span className="small faint">{role}</span>
                        <Icon name="right" size={16} />
                      </Link>
                    </li>
                  ))}
                </ul>
              )}
            </Titled>
          )
        }}
      </Loaded>
      {is_creating ? (
        <NamedDialog
          title="New tenant"
          lead="A tenant is one organisation with its projects and members. You become its owner."
          submit="Create tenant"
          create={(tenant) => api.createTenant(tenant)}
          changes={[queryOfMe.queryKey]}
          done={(slug) => void navigate({ to: '/t/$tenant', params: { tenant: slug } })}
          close={() => setCreating(false)}
        />
      ) : null}
    </Outside>
  )
}
