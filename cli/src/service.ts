/** Runs the commands of the service itself, on the machine of its database. `main.ts` loads it for them. */
import { CannotStart } from '@ostiary/server/base/cannot-start.ts'
import { type Config, readConfig } from '@ostiary/server/base/config/config.ts'
import { DatabaseRefused, DatabaseUnavailable } from '@ostiary/server/db/db.ts'
import { WrongSchema } from '@ostiary/server/db/migrate.ts'
import { withoutOutcome } from '@ostiary/server/db/outcome.ts'
import { WrongMasterKey } from '@ostiary/server/deployment/secrets/secrets.ts'
import { SetupRefused } from '@ostiary/server/setup/first-tenant.ts'
import { readArguments } from './arguments.ts'
import { bootstrap } from './bootstrap.ts'
import { type CommandName, commands, type Values } from './commands.ts'
import { distributeCommand } from './distribute.ts'
import { migrateCommand } from './migrate.ts'
import { recoverCommand } from './recover.ts'
import { serve, start } from './serve.ts'
import { codeOfRefusal } from './workers.ts'

/** A command returns its exit code, or `null` if it runs until a signal. */
type Run<Name extends CommandName> = (config: Config, values: Values<(typeof commands)[Name]>) => Promise<number | null>

const runs: { [Name in CommandName]: Run<Name> } = {
  start,
  serve,
  migrate: migrateCommand,
  distribute: distributeCommand,
  bootstrap,
  recover: recoverCommand,
  // Loaded here, since it imports the client of every server and no other command needs it.
  doctor: async (config, values) => (await import('./doctor.ts')).doctor(config, values),
}

/** On a terminal, `start` logs warnings only: a line for each request would scroll the address and the password away. */
const logLevelOf = (name: CommandName) => (name === 'start' && process.stderr.isTTY ? 'warn' : 'info')

/** Errors whose message says what to do. Other errors are bugs. */
const known_errors = [CannotStart, DatabaseUnavailable, WrongSchema, WrongMasterKey, SetupRefused]

export async function runService<Name extends CommandName>(name: Name, args: readonly string[]): Promise<number | null> {
  const values = readArguments(name, commands[name], args)
  const config = readConfig(undefined, logLevelOf(name))
  try {
    if (!Array.isArray(config)) return await runs[name](config, values)
    if (name === 'doctor') return (await import('./doctor.ts')).reportMisconfiguration(config, values)
  } catch (error) {
    if (!(error instanceof Error) || !known_errors.some((kind) => error instanceof kind)) throw error
    const said = error instanceof DatabaseUnavailable ? withoutOutcome(error) : error.message
    process.stderr.write(`${said.trimEnd()}\n`)
    return error instanceof DatabaseRefused ? codeOfRefusal() : 1
  }
  process.stderr.write(
    `Ostiary cannot start with this configuration:\n${config.map(({ variable, problem }) => `  ${variable}: ${problem}\n`).join('')}`,
  )
  return 1
}
