/** The table as a page to read. */
import type { Credential, Route } from './route.ts'
import { oidcRoutes, routes, serviceRoutes } from './routes.ts'

export function routesMarkdown(): string {
  return `# Routes

Made from \`contract/src/routes.ts\` by \`npm run docs\`.

## Management and runtime API

A role is the least that an administrator needs. The last but one column says what operators, the members of the root
tenant, may do with a row there.
${managementTable()}
## OpenID Connect and hosted pages
${table(oidcRoutes)}
## The service itself
${table(serviceRoutes)}`
}

function managementTable(): string {
  return table(routes, { title: 'In the root tenant', of: operators })
}

interface Column {
  title: string
  of: (row: Route) => string
}

function table(rows: Record<string, Route>, extra?: Column): string {
  const columns: Column[] = [
    { title: 'Method', of: (row) => row.method },
    { title: 'Path', of: (row) => `\`${row.path}\`` },
    { title: 'Credential', of: (row) => credential(row.credential) },
    { title: 'What', of: (row) => row.summary },
    { title: 'Answer', of: (row) => `${row.returns[0]}` },
    { title: 'Refusals of its own', of: (row) => (row.fails ?? []).join(', ') },
    ...(extra ? [extra] : []),
  ]
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const lines = Object.entries(rows).map(([name, row]) => line([...columns.map(({ of }) => of(row)), name]))
  return `
${line([...columns.map(({ title }) => title), 'Name'])}
${line([...columns, null].map(() => '---'))}
${lines.join('\n')}
`
}

/** What operators may do with a row. Rows that take no administrator, or no tenant, have nothing to say. */
function operators({ method, operators, credential }: Route): string {
  if (!('role' in credential) || credential.role === null) return ''
  if (operators === 'hidden') return '404'
  if (operators === undefined) return method === 'GET' ? 'yes' : 'no'
  return operators === 'allowed' ? 'yes' : 'yes, but for some values'
}

function credential(of: Credential): string {
  switch (of.kind) {
    case 'platform':
      return `platform key, \`${of.scope}\`, or administrator (${of.role})`
    case 'any_key':
      return 'any key'
    case 'publishable':
      return 'publishable key'
    case 'secret':
      return of.role === null ? 'secret key' : `secret key, or administrator (${of.role})`
    case 'administrator':
      return of.role === null ? 'administrator' : `administrator (${of.role}${of.own_role ? `; ${of.own_role} for oneself` : ''})`
    case 'client':
      return 'client authentication'
    case 'bearer':
      return 'access token'
    case 'session':
      return 'the form of our own page'
    case 'none':
      return 'none'
  }
}
