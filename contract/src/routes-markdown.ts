/** The table as a page to read. */
import type { Credential, Route } from './route.ts'
import { oidcRoutes, routes, serviceRoutes } from './routes.ts'

export function routesMarkdown(): string {
  return `# Routes

Made from \`contract/src/routes.ts\` by \`npm run docs\`.

## Management and runtime API
${table(routes)}
## OpenID Connect and hosted pages
${table(oidcRoutes)}
## The service itself
${table(serviceRoutes)}`
}

function table(rows: Record<string, Route>): string {
  const lines = Object.entries(rows).map(
    ([name, row]) =>
      `| ${row.method} | \`${row.path}\` | ${credential(row.credential)} | ${row.summary} | ${row.returns[0]} | ${(row.fails ?? []).join(', ')} | ${name} |`,
  )
  return `
| Method | Path | Credential | What | Answer | Refusals of its own | Name |
| --- | --- | --- | --- | --- | --- | --- |
${lines.join('\n')}
`
}

function credential(of: Credential): string {
  switch (of.kind) {
    case 'platform':
      return `platform key, \`${of.scope}\`, or administrator`
    case 'any_key':
      return 'any key'
    case 'publishable':
      return 'publishable key'
    case 'secret':
      return of.role === null ? 'secret key' : `secret key, or administrator (${of.role})`
    case 'administrator':
      return of.role === null ? 'administrator' : `administrator (${of.role})`
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
