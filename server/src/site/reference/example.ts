// pure
/** The recorded call of an operation in three forms: curl, the client library, and the command line. */
import { apiExamples, type Example } from '@ostiary/contract/api-examples.ts'
import type { Document, Operation, Parameter } from './document.ts'

export interface Way {
  readonly id: 'curl' | 'sdk' | 'cli'
  readonly label: string
  readonly text: string
}

/** `null` for an operation that no program calls. */
export function exampleOf({ operationId }: Pick<Operation, 'operationId'>): Example | null {
  return Object.hasOwn(apiExamples, operationId) ? (apiExamples[operationId] ?? null) : null
}

/** The forms that the operation has. The library has the management and runtime API only. */
export function waysOf(method: string, path: string, operation: Operation): Way[] {
  const example = exampleOf(operation)
  if (example === null) return []
  const ways: Way[] = [{ id: 'curl', label: 'curl', text: curlOf(method, path, operation, example) }]
  if (path.startsWith('/v1/')) ways.push({ id: 'sdk', label: 'SDK', text: sdkOf(operation, example) })
  if (example.command !== null) ways.push({ id: 'cli', label: 'Command line', text: example.command })
  return ways
}

function curlOf(method: string, path: string, operation: Operation, example: Example): string {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(example.params[name] ?? ''))
  const query = new URLSearchParams(example.query).toString()
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$BASE_URL${url}${query === '' ? '' : `?${query}`}"`,
    ...credential(operation),
    ...Object.entries(example.headers).map(([name, value]) => `-H "${name}: ${value}"`),
    ...bodyOf(method, example),
  ]
  return lines.join(' \\\n  ')
}

function credential({ security, description }: Operation): string[] {
  const [first] = security
  if (first === undefined) return []
  if ('client' in first) return ['-u "$CLIENT_ID:$CLIENT_SECRET"']
  if ('bearer' in first) return ['-H "Authorization: Bearer $ACCESS_TOKEN"']
  return [`-H "X-API-Key: $${keyVariable(description)}"`]
}

function keyVariable(description: string): string {
  if (description.includes('a platform key')) return 'PLATFORM_KEY'
  if (description.includes('a secret key')) return 'SECRET_KEY'
  return description.includes('a publishable key') ? 'PUBLISHABLE_KEY' : 'API_KEY'
}

function bodyOf(method: string, { body, form }: Example): string[] {
  if (form !== undefined) return Object.entries(form).map(([name, value]) => `--data-urlencode ${inShell(`${name}=${value}`)}`)
  if (body === undefined) return []
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  return [`-H "Content-Type: ${type}"`, `-d ${inShell(JSON.stringify(body, null, 2))}`]
}

const inShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A list is read page by page; the example reads one page. */
function sdkOf({ operationId, parameters = [], requestBody }: Operation, { params, query, body, headers, answer }: Example): string {
  const numbers = new Set(parameters.filter(({ schema }) => schema?.type === 'integer').map(({ name }) => name))
  const values = Object.entries({ ...params, ...query }).map(([name, value]) => [name, numbers.has(name) ? Number(value) : value])
  const is_list = typeof answer === 'object' && answer !== null && 'next_cursor' in answer
  const others = Object.keys(headers).length === 0 ? [] : [{ headers }]
  const takes_parameters = parameters.some((parameter) => parameter.in === 'path' || parameter.in === 'query')
  const args = [
    ...(values.length > 0 || (takes_parameters && (requestBody || others.length > 0)) ? [Object.fromEntries(values)] : []),
    ...(requestBody ? [body ?? {}] : []),
    ...others,
  ]
  const call = `ostiary.${operationId}(${args.map((value) => literal(value)).join(', ')})`
  const answers = answer === undefined ? '' : 'const answer = '
  return `${answers}await ${call}${is_list ? '.page()' : ''}`
}

/** A value as JavaScript, on one line where it fits. */
function literal(value: unknown, indent = ''): string {
  const inner = `${indent}  `
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
  if (typeof value !== 'object' || value === null) return String(value)
  const is_list = Array.isArray(value)
  const parts = Object.entries(value).map(([name, member]) => `${is_list ? '' : `${property(name)}: `}${literal(member, inner)}`)
  const [open, close, gap] = is_list ? ['[', ']', ''] : ['{', '}', ' ']
  if (parts.length === 0) return `${open}${close}`
  const line = `${open}${gap}${parts.join(', ')}${gap}${close}`
  if (line.length <= 72 && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}

const property = (name: string) => (/^[a-z_$][\w$]*$/i.test(name) ? name : `'${name}'`)

/** The parameters of an operation, without references. */
export function parametersOf({ components }: Document, { parameters = [] }: Operation): Parameter[] {
  return parameters.map((parameter) =>
    parameter.$ref === undefined ? parameter : (components.parameters[parameter.$ref.replace(/^.*\//, '')] ?? parameter),
  )
}

/** The answer of the example as text: JSON, or what else comes. */
export function answerText({ status, type, answer }: Example): string {
  if (answer !== undefined) return JSON.stringify(answer, null, 2)
  if (type === null) return `${status}, without content`
  return `${status}, ${type}`
}
