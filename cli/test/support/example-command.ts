/** The call of an example on the command line: its words, standard input, and the text for a shell. */
import type { Example } from '@ostiary/contract/api-examples.ts'
import { bodyFields, type Field } from '../../src/client/fields.ts'
import { called_by, type RowName } from '../../src/client/names.ts'
import { tableCommands } from '../../src/client/own-commands.ts'

interface ExampleCommand {
  /** After the noun and the verb. */
  words: string[]
  /** `null` where nothing is read. */
  input: string | null
  text: string
}

const scope_words: Readonly<Record<string, readonly string[]>> = {
  tenant_id: ['--tenant', 'acme'],
  project_id: ['--project', 'shop'],
  environment_id: ['--env', 'test'],
}

/** `null` for an operation without a command. */
export function exampleCommand(name: string, { params, query, headers, body }: Omit<Example, 'command'>): ExampleCommand | null {
  const own = called_by[name as RowName] // as: another name is not in the table
  if (own !== undefined) return { words: [], input: null, text: `ostiary ${own}` }
  const command = tableCommands().find(({ rows }) => rows.some((row) => row.name === name))
  const row = command?.rows.find((each) => each.name === name)
  if (command === undefined || row === undefined) return null
  const options = body === undefined ? [] : optionsOf(bodyFields(row.route), body)
  const input = options === null ? JSON.stringify(body, null, 2) : null
  const words = [
    ...row.words.map((parameter) => params[parameter] ?? ''),
    ...Object.entries(query).flatMap(([option, value]) => [`--${option.replaceAll('_', '-')}`, value]),
    ...(options ?? ['--data', '-']),
    ...row.scope.flatMap((parameter) => scope_words[parameter] ?? []),
    ...(headers.Origin === undefined ? [] : ['--origin', headers.Origin]),
  ]
  const line = ['ostiary', command.noun, command.verb, ...words].map(inShell).join(' ')
  return { words, input, text: input === null ? line : `${line} <<'END'\n${input}\nEND` }
}

const inShell = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** `null` where the body is better passed as JSON: secrets, which others could read in a list of processes, and values of any shape. */
function optionsOf(fields: readonly Field[], body: Readonly<Record<string, unknown>>): string[] | null {
  const words: string[] = []
  const covered: Record<string, unknown> = {}
  for (const { option, path, kind, is_list } of fields) {
    const value = path.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), body)
    if (value === undefined || isRecord(value)) continue
    const values = is_list && Array.isArray(value) ? value : [value]
    if (kind === 'json' || /(^|[.-])(password|secret|token|private-key)$/.test(option)) return null
    for (const one of values) words.push(`--${option}`, String(one))
    covered[path[0] ?? ''] = true
  }
  return Object.keys(body).every((name) => name in covered) ? words : null
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
