/** The texts of `--help`, made from the table of commands. */
import { type Command, commands, developer_commands, exit_codes, type OptionRow } from './commands.ts'

const all: Readonly<Record<string, Command>> = { ...commands, ...developer_commands }

/** Lists the commands of the client, and the nouns of its other commands. */
export interface ClientOverview {
  readonly commands: readonly [string, string][]
  readonly nouns: readonly [string, string][]
}

export const helpOfAll = (client: ClientOverview) => `Usage: ostiary COMMAND [OPTION…]

The service, on its own machine:

${list(commands)}

A running service, from any machine:

${columns(client.commands)}

Its objects, as "ostiary NOUN VERB", such as "ostiary applications list":

${columns(client.nouns)}

For developers, in a clone:

${list(developer_commands)}

"ostiary COMMAND --help" and "ostiary NOUN --help" show more, "ostiary --version" the version.

${exitCodes()}

Settings of the service are environment variables that begin with OSTIARY_; see README.md. The client reads OSTIARY_KEY, OSTIARY_URL and
OSTIARY_PROFILE.
`

export function helpOf(name: string): string {
  const command = all[name]
  if (!command) throw new Error(`The table has no command ${name}.`)
  const { summary, details, options } = command
  const rows: [string, string][] = [
    ...Object.entries(options).map(([option, about]): [string, string] => [syntaxOf(option, about), about.help]),
    ['--help, -h', 'show this text'],
    ['--version, -V', 'show the version'],
  ]
  return `Usage: ${usageOf(name, command)}

${sentence(summary)}${details ? `\n${details}` : ''}

${columns(rows)}

${exitCodes()}
`
}

/** How to call a command: `ostiary recover --tenant SLUG --email EMAIL [--json]`. */
export function usageOf(name: string, { options, words, passes_options_on }: Command): string {
  const parts = Object.entries(options).map(([option, about]) => {
    const syntax = syntaxOf(option, about)
    return about.is_required ? syntax : `[${syntax}]`
  })
  return ['ostiary', name, ...parts, ...(words ? [`[${words}]`] : []), ...(passes_options_on ? ['[OPTION…]'] : [])].join(' ')
}

export const syntaxOf = (name: string, { value }: OptionRow) => `--${name}${value ? ` ${value}` : ''}`

export const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const list = (table: Readonly<Record<string, Command>>) =>
  columns(Object.entries(table).map(([name, { summary }]): [string, string] => [name, summary]))

export const exitCodes = () => `Exit codes: ${exit_codes.map(([code, meaning]) => `${code} ${meaning}`).join(' · ')}`

export function columns(rows: readonly [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
