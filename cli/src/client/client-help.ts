/** The texts of `--help` for the client, made from the same tables as its commands. */
import { tagOf } from '@ostiary/contract/tags.ts'
import type { Option } from '../arguments.ts'
import { type ClientOverview, columns, exitCodes, sentence } from '../help.ts'
import { allOptions, optionOfField, optionsOf } from './command-options.ts'
import { type ClientCommand, wordName } from './derive.ts'
import { type OwnCommand, ownCommands, tableCommands } from './own-commands.ts'

/** The nouns with a sentence about each, in the order of the route table. */
export function nounTable(): [noun: string, about: string][] {
  const table = new Map<string, string>()
  for (const { noun, rows } of tableCommands()) if (!table.has(noun)) table.set(noun, aboutNoun[noun] ?? tagOf(rows[0].route).description)
  for (const { name } of ownCommands())
    if (name.includes(' ') && !table.has(nounOf(name))) table.set(nounOf(name), aboutNoun[nounOf(name)] ?? '')
  return [...table]
}

/** Nouns about which the groups of the API reference say too much or nothing. */
const aboutNoun: Readonly<Record<string, string>> = {
  users: 'The accounts of an environment.',
  'user-jobs': 'Jobs that do the same to many users.',
  keys: 'The publishable and secret keys of an environment.',
  methods: 'How a user can sign in.',
  grants: 'What a user has given to applications.',
  deliveries: 'The deliveries of a webhook, with their attempts.',
  lookup: 'Where an id belongs.',
  names: 'The names of objects, found by their ids.',
  'client-secrets': 'The client secrets of an application.',
  organizations: 'The customers of your product.',
  'organization-members': 'The members of an organization, with their roles.',
  'organization-invitations': 'Invitations to an organization.',
  'user-organizations': 'The organizations of a user.',
  members: 'The administrators of a tenant, and pending invitations.',
  invitations: 'Invitations to a tenant. "members list" shows the pending ones.',
  audit: 'Who changed what in a tenant. Entries form a hash chain.',
  'tenant-requests': 'Refused calls of a tenant outside its environments.',
  profiles: 'The sign-ins of this machine.',
  'application-templates': 'Products that others wrote, for "applications create --template".',
}

const nounOf = (name: string) => name.split(' ')[0] ?? ''

/** Returns the part about the client in the help of the whole tool. */
export const clientOverview = (): ClientOverview => ({
  commands: ownCommands().flatMap(({ name, summary }): [string, string][] => (name.includes(' ') ? [] : [[name, summary]])),
  nouns: nounTable(),
})

/** The verbs of a noun, with the summary of each. */
export function verbTable(noun: string): [verb: string, summary: string][] {
  const derived = tableCommands().filter((command) => command.noun === noun)
  const own = ownCommands().filter(({ name }) => name.startsWith(`${noun} `))
  return [
    ...derived.map(({ verb, rows }): [string, string] => [verb, rows[0].route.summary]),
    ...own.map(({ name, summary }): [string, string] => [name.slice(noun.length + 1), sentence(summary).replace(/\.$/, '')]),
  ]
}

export const helpOfNoun = (noun: string) => `Usage: ostiary ${noun} VERB [OPTION…]

${new Map(nounTable()).get(noun) ?? ''}

${columns(verbTable(noun))}

"ostiary ${noun} VERB --help" shows the options of a command.
`

export function usageOfCommand(command: ClientCommand): string {
  const [{ words }] = command.rows
  const { scope, filters, fields } = optionsOf(command)
  const required = fields.filter(({ is_required }) => is_required).map((field) => syntaxOf(optionOfField(field)))
  const parts = [
    ...words.map(wordName),
    ...required,
    ...(fields.length > required.length ? ['[--FIELD VALUE…]'] : []),
    ...(filters.length > 0 ? ['[--FILTER VALUE…]'] : []),
    ...scope.map((option) => `[${syntaxOf(option)}]`),
    '[OPTION…]',
  ]
  return ['ostiary', command.noun, command.verb, ...parts].join(' ')
}

export function helpOfCommand(command: ClientCommand): string {
  const [{ route }] = command.rows
  const { scope, filters, fields, common } = optionsOf(command)
  const sections: [string, readonly Option[]][] = [
    ['Fields', fields.map(optionOfField)],
    ['Filters', filters.map(optionOfField)],
    ['Options', [...scope, ...common]],
  ]
  const lists = allOptions(optionsOf(command)).some(({ is_list }) => is_list)
  return `Usage: ${usageOfCommand(command)}

${sentence(route.summary)}
${sections.map(section).join('')}${lists ? '\nAn option with … can be repeated, once for each value.\n' : ''}
${exitCodes()}
`
}

export const usageOfOwn = ({ name, words, options }: OwnCommand) =>
  ['ostiary', name, ...words, ...options.map((option) => (option.is_required ? syntaxOf(option) : `[${syntaxOf(option)}]`))].join(' ')

export const helpOfOwn = (command: OwnCommand) => `Usage: ${usageOfOwn(command)}

${sentence(command.summary)}${command.details ? `\n${command.details}` : ''}
${section(['Options', command.options])}
${exitCodes()}
`

const widest_option = 32

/** The options with their help beside them, or below a long one. */
function section([title, options]: [string, readonly Option[]]): string {
  if (options.length === 0) return ''
  const rows = options.map((option): [string, string] => [syntaxOf(option), option.help])
  const width = Math.min(widest_option, Math.max(...rows.map(([syntax]) => syntax.length)))
  const lines = rows.map(([syntax, help]) =>
    syntax.length > width ? `  ${syntax}\n  ${' '.repeat(width)}  ${help}` : `  ${syntax.padEnd(width)}  ${help}`,
  )
  return `\n${title}:\n${lines.join('\n')}\n`
}

export const syntaxOf = ({ name, kind, value = 'VALUE', is_list = false }: Option) =>
  `--${name}${kind === 'switch' ? '' : ` ${value}`}${is_list ? '…' : ''}`
