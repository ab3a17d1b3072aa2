/** The command line tool `ostiary`: reads arguments and configuration, runs one command, and reports an error in one sentence. */

import { CannotStart } from '@ostiary/server/cannot-start.ts'
import { type Config, readConfig } from '@ostiary/server/config.ts'
import { DatabaseUnavailable } from '@ostiary/server/db/db.ts'
import { SchemaTooNew } from '@ostiary/server/db/migrate.ts'
import { nearest } from '@ostiary/server/nearest.ts'
import { WrongMasterKey } from '@ostiary/server/secrets.ts'
import { SetupRefused } from '@ostiary/server/setup/first-tenant.ts'
import { stackOf } from '@ostiary/server/stack.ts'
import manifest from '../package.json' with { type: 'json' }
import { questionIn, readArguments } from './arguments.ts'
import { bootstrap } from './bootstrap.ts'
import { type CommandName, commands, developer_commands, type Values } from './commands.ts'
import { helpOf, helpOfAll } from './help.ts'
import { migrateCommand } from './migrate.ts'
import { recoverCommand } from './recover.ts'
import { serve, start } from './serve.ts'
import { UsageError } from './usage.ts'
import { isWorker } from './workers.ts'

/** A command returns its exit code, or `null` if it runs until a signal. */
type Run<Name extends CommandName> = (config: Config, values: Values<(typeof commands)[Name]>) => Promise<number | null>

const runs: { [Name in CommandName]: Run<Name> } = {
  start,
  serve,
  migrate: migrateCommand,
  bootstrap,
  recover: recoverCommand,
  // Loaded here, since it imports the client of every server and no other command needs it.
  doctor: async (config, values) => (await import('./doctor.ts')).doctor(config, values),
}

/** On a terminal, `start` logs warnings only: a line for each request would scroll the address and the password away. */
const logLevelOf = (name: CommandName) => (name === 'start' && process.stderr.isTTY ? 'warn' : 'info')

async function run([name = '', ...args]: string[]): Promise<number | null> {
  if (name === 'help' && args.length === 1 && args[0] !== undefined) return run([args[0], '--help'])
  if (['help', '--help', '-h'].includes(name)) return print(helpOfAll())
  if (['--version', '-V'].includes(name)) return print(version)
  if (name === '') throw new UsageError(helpOfAll())
  if (name === 'check-arguments') return checkArguments(args) // for the launcher
  if (!isCommand(name) && !isDeveloperCommand(name)) throw unknownCommand(name)
  const question = questionIn(args)
  if (question) return print(question === 'help' ? helpOf(name) : version)
  if (isCommand(name)) return runCommand(name, args)
  throw new UsageError(`"${name}" is for developers: run "npm ${name === 'test' ? name : `run ${name}`}" in a clone of Ostiary.`)
}

/** Checks the arguments of a command for developers, which the launcher runs afterwards. */
function checkArguments([name = '', ...args]: string[]): number {
  if (!isDeveloperCommand(name)) throw unknownCommand(name)
  readArguments(name, developer_commands[name], args)
  return 0
}

async function runCommand<Name extends CommandName>(name: Name, args: string[]): Promise<number | null> {
  const values = readArguments(name, commands[name], args)
  const config = readConfig(undefined, logLevelOf(name))
  if (!Array.isArray(config)) return runs[name](config, values)
  if (name === 'doctor') return (await import('./doctor.ts')).reportMisconfiguration(config, values)
  process.stderr.write(
    `Ostiary cannot start with this configuration:\n${config.map(({ variable, problem }) => `  ${variable}: ${problem}\n`).join('')}`,
  )
  return 1
}

const version = `ostiary ${manifest.version}\n`

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

const isDeveloperCommand = (name: string): name is keyof typeof developer_commands => Object.hasOwn(developer_commands, name)
const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name)

function unknownCommand(name: string): UsageError {
  const what = name.startsWith('-') ? 'option' : 'command'
  const near = nearest(name, [...Object.keys(commands), ...Object.keys(developer_commands), 'help', '--help', '--version'])
  return new UsageError(`There is no ${what} ${JSON.stringify(name)}.${near ? ` Did you mean "${near}"?` : ''}\n\n${helpOfAll()}`)
}

/** Errors whose message says what to do. Other errors are bugs and are printed with their stack. */
const known_errors = [CannotStart, DatabaseUnavailable, SchemaTooNew, WrongMasterKey, SetupRefused, UsageError]

try {
  const code = await run(process.argv.slice(2))
  if (code !== null) process.exitCode = code
} catch (error) {
  const known = known_errors.find((kind) => error instanceof kind)
  const text = known && error instanceof Error ? error.message : error instanceof Error ? stackOf(error) : String(error)
  process.stderr.write(`${text.trimEnd()}\n`)
  process.exitCode = known === UsageError ? 2 : 1
  // The channel to the process that started a worker would keep it alive.
  if (isWorker()) process.exit()
}
