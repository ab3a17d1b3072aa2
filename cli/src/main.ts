/** The command line tool `ostiary`: reads the configuration, runs one command, and reports an error in one sentence. */

import { CannotStart } from '@ostiary/server/cannot-start.ts'
import { type Config, readConfig } from '@ostiary/server/config.ts'
import { DatabaseUnavailable } from '@ostiary/server/db/db.ts'
import { SchemaTooNew } from '@ostiary/server/db/migrate.ts'
import { WrongMasterKey } from '@ostiary/server/secrets.ts'
import { SetupRefused } from '@ostiary/server/setup/first-tenant.ts'
import { stackOf } from '@ostiary/server/stack.ts'
import { bootstrap, how_to_bootstrap } from './bootstrap.ts'
import { migrateCommand } from './migrate.ts'
import { how_to_recover, recoverCommand } from './recover.ts'
import { serve, start } from './serve.ts'
import { UsageError } from './usage.ts'
import { isWorker } from './workers.ts'

interface Command {
  help: string
  run: (config: Config, args: string[]) => Promise<number | null>
  /** Applies if OSTIARY_LOG_LEVEL is not set. */
  log_level?: Config['log_level']
}

/** A command returns its exit code, or `null` if it runs until a signal. */
const commands: Record<string, Command> = {
  start: {
    help: 'serve, with a demo tenant, application and user on the first start (npm start)',
    run: start,
    // On a terminal, a line for each request would scroll the address and the password away.
    log_level: process.stderr.isTTY ? 'warn' : 'info',
  },
  serve: { help: 'serve the API, the issuers and background work: [--workers N]', run: serve },
  migrate: { help: 'migrate the schema of the database', run: migrateCommand },
  bootstrap: {
    help: `create the first tenant, its owner and a platform key: ${how_to_bootstrap}`,
    run: bootstrap,
  },
  recover: { help: `invite an owner to a tenant whose owners are locked out: ${how_to_recover}`, run: recoverCommand },
  doctor: {
    help: 'check configuration, database, clock and master key, and say what to repair',
    // Loaded here, since it imports the client of every server and no other command needs it.
    run: async (config) => (await import('./doctor.ts')).doctor(config),
  },
}

const usage = `Usage: ostiary <command>

${Object.entries(commands)
  .map(([name, { help }]) => `  ${name.padEnd(10)} ${help}`)
  .join('\n')}

Settings are environment variables that begin with OSTIARY_; see README.md.
`

async function run([name = '', ...args]: string[]): Promise<number | null> {
  if (name === '' || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(usage)
    return name === '' ? 2 : 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    process.stderr.write(`There is no command "${name}".\n\n${usage}`)
    return 2
  }
  const config = readConfig(undefined, command.log_level)
  if (Array.isArray(config)) {
    process.stderr.write(
      `Ostiary cannot start with this configuration:\n${config.map(({ variable, problem }) => `  ${variable}: ${problem}\n`).join('')}`,
    )
    return 1
  }
  return command.run(config, args)
}

/** Errors whose message says what to do. Other errors are bugs and are printed with their stack. */
const known_errors = [CannotStart, DatabaseUnavailable, SchemaTooNew, WrongMasterKey, SetupRefused, UsageError]

try {
  const code = await run(process.argv.slice(2))
  if (code !== null) process.exitCode = code
} catch (error) {
  const known = known_errors.find((kind) => error instanceof kind)
  process.stderr.write(`${known && error instanceof Error ? error.message : error instanceof Error ? stackOf(error) : String(error)}\n`)
  process.exitCode = known === UsageError ? 2 : 1
  // The channel to the process that started a worker would keep it alive.
  if (isWorker()) process.exit()
}
