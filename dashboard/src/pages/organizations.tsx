/** The organizations of an environment: customers of the product, each with its members. */
import type { Organization } from '@ostiary/sdk'
import { CodeTabs } from '../parts/code.tsx'
import { curlOf } from '../parts/curl.ts'
import { NoMatch, SearchField } from '../parts/filters.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { useList } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { type Column, timeColumn } from '../parts/table.tsx'
import { shortId } from '../parts/time.tsx'
import { organizations } from '../queries/organizations.ts'
import { toOrganization, useEnvironment } from '../scope.tsx'
import { CreateOrganization } from './organizations/create.tsx'
import { OrganizationStatus } from './organizations/status.tsx'

const numbers = new Intl.NumberFormat('en')

const columns: Column<Organization>[] = [
  {
    head: 'Organization',
    cell: ({ name, slug }, open) => (
      <>
        <b>{open(name)}</b>
        <code className="any">{slug}</code>
      </>
    ),
  },
  {
    head: 'External id',
    className: 'nowrap',
    cell: ({ external_id }) =>
      external_id === null ? <span className="faint">None</span> : <code title={external_id}>{shortId(external_id)}</code>,
  },
  { head: 'Members', cell: ({ member_count }) => numbers.format(member_count) },
  { head: 'Status', cell: (organization) => <OrganizationStatus of={organization} /> },
  timeColumn('Created', ({ created_at }) => created_at),
]

export default function Organizations() {
  const here = useEnvironment()
  const { search, show } = useQueryState()
  const list = useList(organizations.list(here, search.query))
  const find = (text: string) => show({ query: text || undefined })
  return (
    <ListPage
      title="Organizations"
      lead="Customers of your product whose people share it, such as companies and teams. Their members are users."
      create={{ words: 'Create organization', in_root: false, form: (close) => <CreateOrganization close={close} /> }}
      above={
        <div className="toolbar">
          <SearchField label="Search organizations" placeholder="Name, slug or external id" value={search.query ?? ''} change={find} />
        </div>
      }
      list={list}
      columns={columns}
      link={({ id }) => toOrganization(id)}
      no_match={
        search.query ? (
          <NoMatch act="Clear the search" clear={() => find('')}>
            No organization has these words.
          </NoMatch>
        ) : null
      }
      empty="No organization yet. Create one for each company or team that uses your product together: a user can belong to several, with different roles in each. If every person uses it alone, you need none."
      snippet={<CodeTabs label="The same by the API" snippets={[{ name: 'curl', code: createOrganization() }]} />}
    />
  )
}

/** With a secret key, which names the environment by itself. */
const createOrganization = () =>
  curlOf(location.origin, { path: '/v1/auth/organizations', key: 'OSTIARY_SECRET_KEY', body: { name: 'Acme', external_id: 'customer-42' } })
