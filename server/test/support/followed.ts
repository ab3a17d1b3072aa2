/**
 * Documents that are followed as written, in a clean folder beside a stand-in for the clone. Only the ports are replaced by free ones, npx
 * runs the launcher of this clone, and packages are those of this clone, in the major version that the document asks for.
 */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after } from 'node:test'
import { sdkFile } from '@ostiary/contract/sdk-package.ts'
import { assertShown, type Block, blocksOf, shownBy } from './documented.ts'
import { freePort } from './free-port.ts'
import { openTerminal, type Program, startProgram } from './terminal.ts'

const root = join(import.meta.dirname, '../../..')

export type CleanFolder = Awaited<ReturnType<typeof cleanFolder>>

/** @param ports the ports that the documents name; the first one is that of the service */
export async function cleanFolder(ports: readonly string[], variables: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ostiary-document-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const clone = join(folder, 'ostiary')
  const tools = join(folder, 'bin')
  mkdirSync(clone)
  mkdirSync(tools)
  symlinkSync(process.execPath, join(tools, 'node'))
  writeProgram(join(tools, 'npx'), `[ "$1" = ostiary ] || exit 9\nshift\nexec node '${join(root, 'launch.mjs')}' "$@"\n`)

  const free = new Map<string, string>()
  for (const port of ports) free.set(port, String(await freePort()))
  const withFreePorts = (text: string) => text.replaceAll(/\b\d{4}\b/g, (number) => free.get(number) ?? number)
  const env: Record<string, string | undefined> = {
    PATH: [tools, process.env.PATH].join(delimiter),
    HOME: folder,
    OSTIARY_PORT: free.get(ports[0] ?? ''),
    ...variables,
  }
  return {
    folder,
    clone,
    env,
    origin: (port: string, host = 'localhost') => `http://${host}:${free.get(port)}`,
    read: (document: string): Block[] => blocksOf(withFreePorts(readFileSync(join(root, document), 'utf8'))),
  }
}

export function writeProgram(path: string, commands: string): void {
  writeFileSync(path, `#!/bin/sh\n${commands}`)
  chmodSync(path, 0o755)
}

/** In place of `npm install`: the packages of this clone, if their major version is the one in the command. The service serves the SDK. */
export function install(command: string, folder: string): void {
  const packages = /^npm install (.+)\n$/.exec(command)?.[1]?.split(' ') ?? assert.fail(`This command installs no packages: ${command}`)
  for (const each of packages) {
    if (each.endsWith(`/sdk/${sdkFile()}`)) continue // the workspace has it by its name; sdk-package.test.ts installs it
    const [, name = '', major] = /^(.+)@(\d+)$/.exec(each) ?? assert.fail(`${each} names no major version.`)
    const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
    assert.equal(version.split('.')[0], major, name)
  }
  const target = join(folder, 'node_modules')
  if (!existsSync(target)) symlinkSync(join(root, 'node_modules'), target)
}

/** The acts of a person in a browser; the program is the one that runs at this moment. */
export type Act = (program: Pick<Program, 'output'>) => Promise<void>

/**
 * Follows a document from its first block to its last one. Commands for `run` are typed into a terminal, `server` keeps running, `application`
 * keeps running and a person uses it, `person` runs until a person has signed in. Blocks of text are compared with the output: `shown` with
 * that of the commands before, `later` with what comes after the person acted, `server` with that of the server.
 *
 * @param at the folder where the document begins
 */
export async function follow({ read, env }: CleanFolder, document: string, at: string, acts: readonly Act[]): Promise<void> {
  const terminal = openTerminal({ cwd: at, env })
  const blocks = read(document)
  const waiting = [...acts]
  let server: Program | null = null
  let output = ''
  for (const [i, block] of blocks.entries()) {
    if (block.language === 'text') {
      if (block.role === 'shown') assertShown(output, block)
      else if (block.role === 'server') await server?.shows(shownBy(block.code))
      else assert.equal(block.role, 'later')
    }
    if (block.language !== 'sh') continue
    const shown = blocks[i + 1]
    const expected = shown?.role === 'shown' ? shownBy(shown.code) : /^/
    if (block.role === 'run') output = await terminal.type(block.code)
    else if (block.role === 'install') install(block.code, (await terminal.type('pwd\n')).trim())
    else if (block.role === 'server' || block.role === 'application') {
      server = await startProgram(block.code, expected, { cwd: (await terminal.type('pwd\n')).trim(), env })
      output = server.output()
      if (block.role === 'application') await next(waiting, document)(server)
    } else if (block.role === 'person') {
      const acting = async () => {
        await terminal.shows(/Open this address:\n\S+\n/)
        output = terminal.output()
        await next(waiting, document)(terminal)
      }
      const [ended] = await Promise.all([terminal.type(block.code), acting()])
      const later = blocks[i + 2] ?? assert.fail(`${document} does not say what a program shows after a person acted.`)
      assert.equal(later.role, 'later')
      assertShown(ended, later)
    } else assert.fail(`${document} has commands of the unknown role "${block.role}".`)
  }
  assert.equal(waiting.length, 0, `${document} has no place for ${waiting.length} acts.`)
  await terminal.close()
}

const next = (waiting: Act[], document: string): Act => waiting.shift() ?? assert.fail(`${document} has more to do than the test does.`)
