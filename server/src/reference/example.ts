// pure
/** The call of an operation with curl. Variables stand for the address, the credential and the ids. */
import type { Document, Operation, Parameter } from './document.ts'

export function curlOf(method: string, path: string, operation: Operation, parameters: readonly Parameter[]): string {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=$${name.toUpperCase()}`)
    .join('&')
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$BASE_URL${url}${query === '' ? '' : `?${query}`}"`,
    ...credential(operation).map((header) => `-H "${header}"`),
    ...body(operation),
  ]
  return lines.join(' \\\n  ')
}

function credential({ security, description, parameters = [] }: Operation): string[] {
  const [first] = security
  if (first === undefined) return []
  if ('client' in first) return ['Authorization: Basic $CLIENT_CREDENTIALS']
  if ('bearer' in first) return ['Authorization: Bearer $ACCESS_TOKEN']
  const origin = parameters.some(({ $ref }) => $ref?.endsWith('/Origin')) ? ['Origin: https://app.example.com'] : []
  return [`X-API-Key: $${keyVariable(description)}`, ...origin]
}

function keyVariable(description: string): string {
  if (description.includes('a platform key')) return 'PLATFORM_KEY'
  if (description.includes('a secret key')) return 'SECRET_KEY'
  return description.includes('a publishable key') ? 'PUBLISHABLE_KEY' : 'API_KEY'
}

function body({ requestBody }: Operation): string[] {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (type === undefined || content === undefined) return []
  if (!type.includes('json'))
    return [`-d "${(content.schema.required ?? ['grant_type']).map((name) => `${name}=$${name.toUpperCase()}`).join('&')}"`]
  return [`-H "Content-Type: ${type}"`, `-d '${JSON.stringify(content.example).replaceAll("'", "'\\''")}'`]
}

/** The parameters of an operation, without references. */
export function parametersOf({ components }: Document, { parameters = [] }: Operation): Parameter[] {
  return parameters.map((parameter) =>
    parameter.$ref === undefined ? parameter : (components.parameters[parameter.$ref.replace(/^.*\//, '')] ?? parameter),
  )
}
