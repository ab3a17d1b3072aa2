/** The generated sources of the client library: the types of the API's objects, and its operations with their routes. */
import { errors } from './errors.ts'
import { openApi } from './openapi.ts'
import { takesIfMatch } from './openapi-answers.ts'
import type { Json } from './openapi-schemas.ts'
import type { Route } from './route.ts'
import { public_api, routes, serviceRoutes } from './routes.ts'
import { commented, namesIn, typescriptOf } from './typescript.ts'

const header = '// Generated from contract/src/routes.ts by `npm run docs`.\n'

interface Operation {
  summary: string
  description: string
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Json }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> }
  responses: Record<string, { content?: Record<string, { schema: Json }> }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json> }
}

/** The sources by their path from the root of the repository. */
export function sdkSources(): Record<string, string> {
  const document = openApi() as unknown as Document // as: built from the same table
  const open = public_api.map((name): [string, Route] => [name, serviceRoutes[name]])
  const operations = [...Object.entries<Route>(routes), ...open].map(([name, route]) => {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()]
    if (operation === undefined) throw new Error(`The document has no operation ${name}.`)
    return operationOf(name, route, operation)
  })
  return {
    'sdk/src/generated/operations.ts': operationsSource(operations),
    'sdk/src/generated/types.ts': typesSource(
      operations.flatMap(({ names }) => names),
      document.components.schemas,
    ),
  }
}

interface Generated {
  name: string
  comment: string
  signature: string
  row: string
  names: string[]
}

function operationOf(name: string, route: Route, { summary, description, parameters = [], requestBody, responses }: Operation): Generated {
  const own = parameters.filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
  if (new Set(own.map((parameter) => parameter.name)).size !== own.length)
    throw new Error(`${name} has a parameter of the path in its query.`)
  const body = requestBody?.content['application/json']?.schema
  const answer = responses[route.returns[0]]?.content?.['application/json']?.schema
  const answer_type = answer === undefined ? 'void' : typescriptOf(answer)
  const list = /^(\w+)List$/.exec(answer_type)?.[1]

  const all_optional = own.every(({ required }) => !required)
  const options = route.method === 'POST' ? 'PostOptions' : takesIfMatch(route) ? 'ChangeOptions' : 'CallOptions'
  const takes = [
    ...(own.length === 0 ? [] : [`params${all_optional ? '?' : ''}: ${parametersType(own)}`]),
    ...(body === undefined ? [] : [requestBody?.required ? `body: ${typescriptOf(body)}` : `body?: ${typescriptOf(body)} | undefined`]),
    `options?: ${options}`,
  ]
  const flags = `${own.length > 0 ? 'p' : ''}${body === undefined ? '' : 'b'}${list === undefined ? '' : 'l'}`
  return {
    name,
    comment: `${summary}.\n\n${description}`,
    signature: `${name}(${takes.join(', ')}): ${list === undefined ? `Promise<${answer_type}>` : `List<${list}>`}`,
    row: `${route.method} ${route.path}${flags === '' ? '' : ` ${flags}`}`,
    names: [...own.flatMap(({ schema }) => namesIn(schema)), ...namesIn(body), ...(list === undefined ? namesIn(answer) : [list])],
  }
}

function parametersType(parameters: NonNullable<Operation['parameters']>): string {
  const members = parameters.map(
    ({ name, required, schema }) => `${name}${required ? '' : '?'}: ${typescriptOf(schema)}${required ? '' : ' | undefined'}`,
  )
  return `{ ${members.join('; ')} }`
}

function operationsSource(operations: readonly Generated[]): string {
  const names = [...new Set(operations.flatMap(({ names }) => names))].sort()
  return `${header}import type { CallOptions, ChangeOptions, List, PostOptions } from '../options.ts'
import type { ${names.join(', ')} } from './types.ts'

/** The operations of the management and runtime API. */
export interface Operations {
${operations.map(({ comment, signature }) => `${commented(comment, '  ')}  ${signature}`).join('\n')}
}

/** The method and the path of each operation. It has parameters (p), a body (b), and returns a list (l). */
export const routes: Readonly<Record<keyof Operations, string>> = {
${operations.map(({ name, row }) => `  ${name}: '${row}',`).join('\n')}
}
`
}

function typesSource(used: readonly string[], schemas: Readonly<Record<string, Json>>): string {
  const names = new Set<string>()
  const add = (name: string): void => {
    if (names.has(name)) return
    names.add(name)
    for (const inner of namesIn(schemas[name])) add(inner)
  }
  for (const name of used) add(name)
  const declarations = [...names].sort().map((name) => {
    const schema = schemas[name] ?? {}
    const comment = typeof schema.description === 'string' ? commented(schema.description, '') : ''
    return `${comment}export type ${name} = ${typescriptOf(schema)}`
  })
  return `${header}
/** The stable codes of errors. */
export type ErrorCode =
${Object.keys(errors)
  .map((code) => `  | '${code}'`)
  .join('\n')}

${declarations.join('\n\n')}
`
}
