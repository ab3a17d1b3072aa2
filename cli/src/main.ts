/**
 * The command line tool `ostiary`. Its commands are those of the service, for developers, and of the client, which calls a running service.
 * It loads only what a command needs, and reports an error in one sentence.
 */
import { stackOf } from '@ostiary/server/base/stack.ts'
import manifest from '../package.json' with { type: 'json' }
import { questionIn, readArguments } from './arguments.ts'
import { type CommandName, commands, developer_commands } from './commands.ts'
import { helpOf, helpOfAll } from './help.ts'
import { UsageError } from './usage.ts'

async function run([name = '', ...args]: string[]): Promise<number | null> {
  if (name === 'help' && args.length > 0) return run([...args, '--help'])
  if (['help', '--help', '-h'].includes(name)) return print(await wholeHelp())
  if (['--version', '-V'].includes(name)) return print(version)
  if (name === '') throw new UsageError(await wholeHelp())
  if (name === 'check-arguments') return checkArguments(args) // for the launcher
  const is_of_service = isCommand(name)
  if (!is_of_service && !isDeveloperCommand(name)) return runClientCommand(name, args)
  const question = questionIn(args)
  if (question) return print(question === 'help' ? helpOf(name) : version)
  if (is_of_service) return runServiceCommand(name, args)
  throw new UsageError(`"${name}" is for developers: run "npm ${name === 'test' ? name : `run ${name}`}" in a clone of Ostiary.`)
}

/** Checks the arguments of a command for developers, which the launcher runs afterwards. */
async function checkArguments([name = '', ...args]: string[]): Promise<number> {
  if (!isDeveloperCommand(name)) throw await unknownCommand(name, args)
  readArguments(name, developer_commands[name], args)
  return 0
}

async function runServiceCommand(name: CommandName, args: string[]): Promise<number | null> {
  const { runService } = await import('./service.ts')
  try {
    const code = await runService(name, args)
    if (code !== null && code !== 0) await endAtOnce(code)
    return code
  } catch (error) {
    report(error)
    return endAtOnce(Number(process.exitCode))
  }
}

/**
 * Ends the process when what it printed has left. An end by itself would close a database that is still open, and so sync it again after a
 * sync that failed (decision 0175). A worker would not end by itself: the channel to the process that started it keeps it alive.
 */
async function endAtOnce(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) await new Promise<void>((resolve) => stream.write('', () => resolve()))
  process.exit(code)
}

async function runClientCommand(name: string, args: string[]): Promise<number> {
  const { clientNames, runClient } = await import('./client/client.ts')
  if (!clientNames().includes(name)) throw await unknownCommand(name, args)
  if (questionIn(args) === 'version') return print(version)
  const { ioOfProcess } = await import('./client/io.ts')
  const stop = new AbortController()
  // The second signal ends the process at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  return runClient(ioOfProcess(stop.signal), [name, ...args])
}

/** The reader of a pipe, such as `head`, has enough: a command of the client ends, and one of the service completes what it began. */
function endAtClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') failToWrite(error)
  else if (!isCommand(process.argv[2] ?? '')) process.exit(0)
}

/** Fails, since lost output may be a key that is shown once. A service continues without its log (`outputTo`). */
function failToWrite({ message }: NodeJS.ErrnoException): void {
  if (['serve', 'start'].includes(process.argv[2] ?? '')) return
  process.stderr.write(`The output cannot be written: ${message}.\n`)
  process.exit(1)
}

process.stdout.on('error', endAtClosedPipe)
process.stderr.on('error', () => {}) // nothing can be said there

const version = `ostiary ${manifest.version}\n`

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

async function wholeHelp(): Promise<string> {
  const { clientOverview } = await import('./client/client-help.ts')
  return helpOfAll(clientOverview())
}

const isDeveloperCommand = (name: string): name is keyof typeof developer_commands => Object.hasOwn(developer_commands, name)
const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name)

async function unknownCommand(name: string, args: readonly string[]): Promise<UsageError> {
  const what = name.startsWith('-') ? 'option' : 'command'
  const { clientNames, nearCommands } = await import('./client/client.ts')
  const { meantWords } = await import('./client/near.ts')
  const known = [...Object.keys(commands), ...clientNames(), ...Object.keys(developer_commands), 'help', '--help', '--version']
  const meant = meantWords(nearCommands(name, args, known))
  return new UsageError(`There is no ${what} ${JSON.stringify(name)}.${meant}\n\n"ostiary --help" lists the commands.`)
}

/** The message of a wrong call. Another error is a bug and is printed with its stack. */
function report(error: unknown): void {
  const text = error instanceof UsageError ? error.message : error instanceof Error ? stackOf(error) : String(error)
  process.stderr.write(`${text.trimEnd()}\n`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}

try {
  const code = await run(process.argv.slice(2))
  if (code !== null) process.exitCode = code
} catch (error) {
  report(error)
}
