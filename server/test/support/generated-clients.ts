/**
 * Clients that generators of other languages make of the OpenAPI document. `.ci/run` installs what makes them; without it the tests are
 * skipped and say so.
 */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openApi } from '@ostiary/contract/openapi.ts'
import type { World } from './world.ts'

const tools = join(import.meta.dirname, '../../../.node/generators')
const go_clients = join(import.meta.dirname, 'go-clients')

const python = join(tools, 'python/bin/python')
const oapi_codegen = join(tools, 'oapi-codegen')
const generator = join(tools, 'openapi-generator-cli.jar')
const libraries = join(tools, 'java')

const runs = (command: string, argument: string) => spawnSync(command, [argument]).status === 0
const needs = (is_there: boolean, what: string) => (is_there ? false : `needs ${what}, which .ci/run installs`)

export const skips = {
  python: needs(existsSync(python), 'openapi-python-client'),
  oapi_codegen: needs(existsSync(oapi_codegen) && runs('go', 'version'), 'oapi-codegen and Go'),
  go: needs(existsSync(generator) && runs('java', '-version') && runs('go', 'version'), 'openapi-generator, Java and Go'),
  java: needs(existsSync(generator) && existsSync(libraries) && runs('javac', '-version'), 'openapi-generator and a JDK'),
}

const execute = promisify(execFile)

/** Runs a program to its end. If it fails, its output is in the error. */
async function run(cwd: string, [file = '', ...args]: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 64_000_000, timeout: 600_000 }
  const { stdout } = await execute(file, args, options).catch((error) => {
    throw new Error(`${file} ${args.join(' ')}\n${error.stdout}\n${error.stderr}`.slice(0, 20_000))
  })
  return stdout.trim()
}

/** A folder with the document of this service. */
function folderWithDocument(w: World, name: string): string {
  const folder = join(w.data_dir, name)
  mkdirSync(join(folder, 'ostiary'), { recursive: true })
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApi(w.base_url)))
  return folder
}

/** The output of each client: created, listed, the new name, no logo any more, deleted. */
export const printed = '201 true Changed true 204'

const called = (w: World) => ({ args: [w.base_url, w.test.path.split('/')[4] ?? '', w.test.id], env: { OSTIARY_KEY: w.key } })

export async function callByPython(w: World): Promise<string> {
  const folder = folderWithDocument(w, 'python')
  await run(folder, [python, '-m', 'openapi_python_client', 'generate', '--path', 'openapi.json', '--meta', 'none', '--output-path', 'ostiary_client', '--overwrite']) // biome-ignore format: one command
  const { args, env } = called(w)
  return run(folder, [python, join(import.meta.dirname, 'python-client.py'), ...args], { ...env, PYTHONPATH: folder })
}

/** `tags` limits the client to groups of operations, since the compiler takes a minute for all of them. */
export async function callByOapiCodegen(w: World, tags: readonly string[]): Promise<string> {
  const folder = folderWithDocument(w, `oapi-codegen-${tags.length}`)
  const limit = tags.length === 0 ? '' : `  include-tags: ${JSON.stringify(tags)}\n`
  writeFileSync(join(folder, 'config.yaml'), readFileSync(join(go_clients, 'config.yaml'), 'utf8') + limit)
  await run(folder, [oapi_codegen, '-config', 'config.yaml', '-o', 'ostiary/client.go', 'openapi.json'])
  return callByGo(w, folder, 'oapi.go')
}

const all_of_it = '--global-property=apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'

async function generate(folder: string, language: string, ...more: string[]): Promise<void> {
  await run(folder, ['java', '-jar', generator, 'generate', '-i', 'openapi.json', '-g', language, '-o', language, all_of_it, ...more])
}

/** Compiles the Go client of openapi-generator, which reads no answer with a member that is null (docs/generated-clients.md). */
export async function compileGo(w: World): Promise<void> {
  const folder = folderWithDocument(w, 'go')
  await generate(folder, 'go', '--package-name', 'ostiary')
  for (const file of globSync('*.go', { cwd: join(folder, 'go') })) copyFileSync(join(folder, 'go', file), join(folder, 'ostiary', file))
  await buildGo(folder, 'generator.go')
}

async function callByGo(w: World, folder: string, main: string): Promise<string> {
  await buildGo(folder, main)
  const { args, env } = called(w)
  return run(folder, [join(folder, 'client'), ...args], env)
}

async function buildGo(folder: string, main: string): Promise<void> {
  copyFileSync(join(go_clients, main), join(folder, 'main.go'))
  for (const file of ['go.mod', 'go.sum']) copyFileSync(join(go_clients, file), join(folder, file))
  await run(folder, ['go', 'build', '-o', 'client', '.'], { GOFLAGS: '-mod=mod' })
}

/** Compiles the Java client. */
export async function compileJava(w: World): Promise<void> {
  const folder = folderWithDocument(w, 'java')
  await generate(folder, 'java', '--library', 'native')
  const sources = globSync('java/src/main/**/*.java', { cwd: folder })
  assert.ok(sources.length > 100)
  writeFileSync(join(folder, 'sources'), sources.join('\n'))
  await run(folder, ['javac', '-nowarn', '-proc:none', '-d', 'classes', '-cp', join(libraries, '*'), '@sources'])
}
