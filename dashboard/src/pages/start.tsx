/** The entry. It leads to the tenant of the person, offers the choice of several, and creates one. */
import type { NewTenant } from '@ostiary/sdk'
import { Link, Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api.ts'
import { useMe } from '../frame/scopes.tsx'
import { Alone } from '../frame/start.tsx'
import { useAction } from '../parts/action.ts'
import { NameField, SlugField, slugFrom } from '../parts/fields.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Loaded } from '../parts/reading.tsx'

export default function Start() {
  const me = useMe()
  const [is_creating, setCreating] = useState(false)
  return (
    <Alone>
      <Loaded of={me}>
        {({ memberships, root_tenant_id }) => {
          const [first] = memberships
          if (memberships.length === 1 && first) return <Navigate to="/t/$tenant" params={{ tenant: first.slug }} replace />
          return (
            <>
              <h1>{first ? 'Choose a tenant' : 'No tenant yet'}</h1>
              {first ? null : (
                <p className="muted">You are a member of no tenant. Create one, or ask an administrator of another for an invitation.</p>
              )}
              <ul className="choices">
                {memberships.map(({ tenant_id, slug, name, role }) => (
                  <li key={tenant_id}>
                    <Link to="/t/$tenant" params={{ tenant: slug }}>
                      {tenant_id === root_tenant_id ? 'Deployment' : name}{' '}
                      <span className="faint">{tenant_id === root_tenant_id ? 'operator' : role}</span>
                    </Link>
                  </li>
                ))}
              </ul>
              <button type="button" className={first ? 'btn' : 'btn pri'} onClick={() => setCreating(true)}>
                New tenant
              </button>
            </>
          )
        }}
      </Loaded>
      {is_creating ? <CreateTenant close={() => setCreating(false)} /> : null}
    </Alone>
  )
}

/** Every administrator may create a tenant, and owns it. The page then leads to it or lists it. */
function CreateTenant({ close }: { close: () => void }) {
  const [name, setName] = useState('')
  const [slug, setSlug] = useState<string | null>(null)
  const entered = { name, slug: slug ?? slugFrom(name) }
  const action = useAction((tenant: NewTenant) => api.createTenant(tenant), { changes: [['me']], done: close })
  return (
    <FormDialog
      title="New tenant"
      lead="A tenant is one organisation with its projects and members. You become its owner."
      submit="Create tenant"
      action={action}
      onSubmit={() => action.run(entered)}
      onClose={close}
    >
      <NameField value={name} change={setName} error={action.error} />
      <SlugField value={entered.slug} change={setSlug} error={action.error} />
    </FormDialog>
  )
}
