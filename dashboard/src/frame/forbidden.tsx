/** A page that the role of the person may not read. The sidebar does not offer it; a link from elsewhere leads here, to a chunk of its own. */
import { Link } from '@tanstack/react-router'
import { Page } from '../parts/page.tsx'
import { type Role, useScope } from '../scope.tsx'
import type { PageEntry } from './navigation.ts'

const contents: Partial<Record<Role, string>> = {
  developer: 'It shows what people did, with their addresses.',
  admin: 'It is about the tenant as a whole.',
}

export default function Forbidden({ page: { name, role } }: { page: PageEntry }) {
  const { tenant } = useScope()
  return (
    <Page title={name}>
      <section className="card empty">
        <p>
          This page needs the role <b>{role}</b> in {tenant.name}. {contents[role]} Your role is <b>{tenant.role}</b>.
        </p>
        <p>
          <Link className="u" to="/t/$tenant/members" params={{ tenant: tenant.slug }}>
            Ask an admin or an owner
          </Link>{' '}
          for another role. The API answers such a call with{' '}
          <a className="u" href="/docs/errors/insufficient_role">
            insufficient_role
          </a>
          .
        </p>
      </section>
    </Page>
  )
}
