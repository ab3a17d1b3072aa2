/** The route table as Markdown. */
import { generalErrors } from './errors.ts'
import type { Credential, Route } from './route.ts'
import { oidcRoutes, routes, serviceRoutes } from './routes.ts'

export function routesMarkdown(): string {
  return `# Routes

Generated from \`contract/src/routes.ts\` by \`npm run docs\`.

## Management and runtime API

An administrator needs at least the role in brackets. "In the root tenant" says whether operators, the members of the root tenant,
can use the row there. "Fresh sign-in" says when the sign-in of an administrator must be fresh: at most 10 minutes old, unless the project has another
\`fresh_sign_in\`. The API description names the fields and bodies. Besides its own errors, every row can answer the general ones: ${generalErrors.map((code) => `\`${code}\``).join(', ')}.
${managementTable()}
## OpenID Connect and hosted pages
${table(oidcRoutes)}
## Service
${table(serviceRoutes)}`
}

function managementTable(): string {
  return table(routes, { title: 'Fresh sign-in', of: fresh }, { title: 'In the root tenant', of: operators })
}

interface Column {
  title: string
  of: (row: Route) => string
}

function table(rows: Record<string, Route>, ...extra: Column[]): string {
  const columns: Column[] = [
    { title: 'Method', of: (row) => row.method },
    { title: 'Path', of: (row) => `\`${row.path}\`` },
    { title: 'Credential', of: (row) => credential(row.credential) },
    { title: 'Summary', of: (row) => row.summary },
    { title: 'Status', of: (row) => `${row.returns[0]}` },
    { title: 'Errors', of: (row) => (row.fails ?? []).join(', ') },
    ...extra,
  ]
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const lines = Object.entries(rows).map(([name, row]) => line([...columns.map(({ of }) => of(row)), name]))
  return `
${line([...columns.map(({ title }) => title), 'Name'])}
${line([...columns, null].map(() => '---'))}
${lines.join('\n')}
`
}

/** When calls of an administrator need a fresh sign-in. */
function fresh({ fresh }: Route): string {
  if (fresh === undefined || (typeof fresh === 'object' && 'not' in fresh)) return ''
  if (typeof fresh === 'object') return 'fields' in fresh ? 'for some fields' : 'for some bodies'
  return { always: 'always', in_live: 'in Live', promotion: 'in Live, for some changes in Test', other_members: 'for another member' }[
    fresh
  ]
}

/** Whether operators can use a row. Empty for rows without an administrator or without a tenant. */
function operators({ method, operators, credential }: Route): string {
  if (!('role' in credential) || credential.role === null) return ''
  if (operators === 'hidden') return '404'
  if (operators === undefined) return method === 'GET' ? 'yes' : 'no'
  return operators === 'allowed' ? 'yes' : 'some values'
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
      return of.role === null ? 'administrator' : `administrator (${of.role}${of.own_role ? `; ${of.own_role} for their own id` : ''})`
    case 'client':
      return 'client authentication'
    case 'bearer':
      return 'access token'
    case 'session':
      return 'form of a hosted page'
    case 'none':
      return 'none'
  }
}
