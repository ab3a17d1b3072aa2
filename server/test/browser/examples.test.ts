/** `examples/`: each one is set up and started by the commands of its README, and a person signs in by a real browser. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser, noBrowser } from '../support/chromium.ts'
import { authorizationRequest, createAgent, exchange, obtainCode } from '../support/cookie-browser.ts'
import { blocksOf } from '../support/documented.ts'
import { freePort } from '../support/free-port.ts'
import { openTerminal, startProgram } from '../support/terminal.ts'
import { expectStatus, world } from '../support/world.ts'

const root = join(import.meta.dirname, '../../..')
const sources = join(root, 'examples')
const skip = process.platform === 'win32' ? 'the commands are for a POSIX shell' : noBrowser

const names = readdirSync(sources, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
  .map(({ name }) => name)

const w = await world()
const folder = mkdtempSync(join(tmpdir(), 'ostiary-examples-'))
after(() => rmSync(folder, { recursive: true, force: true }))
cpSync(sources, join(folder, 'examples'), { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
mkdirSync(join(folder, 'bin'))
symlinkSync(process.execPath, join(folder, 'bin/node'))

const PATH = [join(folder, 'bin'), process.env.PATH].join(delimiter)
const env = { PATH, HOME: folder, OSTIARY_URL: w.reach(w.base_url), OSTIARY_KEY: w.key }
const ports = new Map<string, number>()
for (const name of names) ports.set(name, await freePort())
ports.set('cli', ports.get('fastify-api') ?? 0) // it calls that API

const place = (name: string) => ({ cwd: join(folder, 'examples', name), env: { ...env, PORT: String(ports.get(name)) } })
const address = (name: string) => `http://localhost:${ports.get(name)}`
const command = (name: string, role: string) =>
  blocksOf(readFileSync(join(sources, name, 'README.md'), 'utf8')).find((block) => block.role === role)?.code ??
  assert.fail(`${name}: ${role}`)

/** Runs the set-up of an example. Returns the settings that it writes. */
async function setUp(name: string): Promise<Record<string, string>> {
  const terminal = openTerminal(place(name))
  assert.equal(await terminal.type(command(name, 'setup')), '')
  await terminal.close()
  const written = readFileSync(join(place(name).cwd, '.env'), 'utf8')
  return Object.fromEntries([...written.matchAll(/^(\w+)=(.+)$/gm)].map(([, key, value]) => [key, value]))
}

/** The settings of the examples that are set up. */
const settings: Record<string, Record<string, string>> = {}

async function start(name: string): Promise<void> {
  settings[name] = await setUp(name)
  await startProgram(command(name, 'run'), /^(Open|Listening on) http/m, place(name))
}

const addressIn = (output: string) => /^http\S+$/m.exec(output)?.[0] ?? assert.fail(output)

let browser: Browser
let page: Page
const ada = { email: 'ada@example.com', password: 'correct horse battery' }
async function enter(button: string): Promise<void> {
  await page.getByLabel('Email address').fill(ada.email)
  await page.getByLabel('Password').fill(ada.password)
  await page.getByRole('button', { name: button }).click()
}

before(async () => {
  if (skip) return
  browser = await launchBrowser()
  page = await browser.newPage()
})
after(() => browser?.close())

test('Express: a person creates an account, returns signed in with a new session, and signs out everywhere', { skip }, async () => {
  await start('express-web')
  await page.goto(address('express-web'))
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Create an account' }).click()
  const session = async () => (await page.context().cookies(address('express-web'))).find(({ name }) => name === 'connect.sid')
  const before_sign_in = await session()
  await enter('Create account')
  await page.getByLabel('Code').fill('123456')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Signed in as ada@example.com').waitFor()
  const after_sign_in = await session()
  assert.ok(before_sign_in && after_sign_in?.httpOnly && before_sign_in.value !== after_sign_in.value)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${address('express-web')}/`)
  await page.getByText('Not signed in').waitFor()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Password').waitFor()
})

test('Express: an answer that this browser did not ask for signs nobody in, and a refusal of the issuer is shown', { skip }, async () => {
  const stranger = await browser.newPage()
  const at_callback = async (query: object) => {
    await stranger.goto(`${address('express-web')}/callback?${new URLSearchParams({ ...query })}`)
    return stranger.locator('p').innerText()
  }
  const beginSignIn = async () => {
    await stranger.goto(`${address('express-web')}/sign-in`)
    return new URL(stranger.url()).searchParams.get('state')
  }
  assert.equal(await at_callback({ code: 'stolen', state: 'chosen' }), 'Not signed in')
  await beginSignIn()
  assert.equal(await at_callback({ code: 'stolen', state: 'chosen' }), 'The sign-in failed: see the log of the server')
  const refused = { error: 'access_denied', state: await beginSignIn(), iss: settings['express-web']?.ISSUER }
  assert.equal(await at_callback(refused), 'The sign-in failed: access_denied')
  await stranger.close()
})

test('single-page application: a person signs in and out, and the page loads nothing from elsewhere', { skip }, async () => {
  await start('spa')
  const origins = new Set<string>()
  page.on('request', (request) => origins.add(new URL(request.url()).origin))
  await page.goto(address('spa'))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await enter('Sign in')
  await page.getByText('Signed in as ada@example.com').waitFor()
  assert.equal(page.url(), `${address('spa')}/`)
  assert.deepEqual(origins, new Set([address('spa'), new URL(settings.spa?.ISSUER ?? '').origin]))
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('Not signed in').waitFor()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Password').waitFor()
})

/** The status of an answer that another program or page sends to the waiting program. */
async function strangersAnswer(authorization_url: string): Promise<number> {
  const redirect_uri = new URL(authorization_url).searchParams.get('redirect_uri') ?? ''
  return (await fetch(`${redirect_uri}?code=stolen&state=chosen`)).status
}

test('command line: the person signs in at the printed address, and the API answers the program', { skip }, async () => {
  await start('fastify-api')
  settings.cli = await setUp('cli')
  const program = await startProgram(command('cli', 'run'), /^http\S+$/m, place('cli'))
  assert.equal(await strangersAnswer(addressIn(program.output())), 404)
  await page.goto(addressIn(program.output()))
  await enter('Sign in')
  await page.getByText('You can close this window').waitFor()
  assert.match(await program.ended, /^Signed in as ada@example\.com\nThe API answers 200: \{"user":"usr_\w+","orders":\[\]\}$/m)
})

test('MCP server: a client that is registered beforehand finds the issuer, and the tool knows the user', { skip }, async () => {
  await start('mcp-server')
  const program = await startProgram('node --env-file=.env client.js', /^http\S+$/m, place('mcp-server'))
  const url = new URL(addressIn(program.output()))
  assert.equal(url.searchParams.get('resource'), settings['mcp-server']?.AUDIENCE)
  assert.equal(await strangersAnswer(url.href), 404)
  await page.goto(url.href) // the person is signed in, and enters no password again
  await page.getByRole('button', { name: 'Continue' }).click() // a session alone gives a program without a secret no code
  await page.getByText('You can close this window').waitFor()
  assert.match(await program.ended, /^usr_\w+ has 1: Buy milk$/m)
})

test('API and MCP server refuse a call without a token, with a token for another audience, and without a scope', { skip }, async (t) => {
  const tokenFor = async (name: string, scope: string): Promise<string> => {
    const { ISSUER = '', CLIENT_ID = '', AUDIENCE } = settings[name] ?? {}
    const client = { client_id: CLIENT_ID, redirect_uris: ['http://127.0.0.1:49152/callback'], token_endpoint_auth_method: 'none' }
    const request = authorizationRequest({ issuer: ISSUER }, client, { scope, resource: AUDIENCE })
    const code = await obtainCode(createAgent(), request, ada)
    return expectStatus(200, await exchange(w, { issuer: ISSUER }, client, { request, code })).access_token
  }
  const orders = `${address('fastify-api')}/orders`
  const mcp = `${address('mcp-server')}/mcp`
  const read = await tokenFor('cli', 'openid orders:read')
  const note = await tokenFor('mcp-server', 'openid notes:read')
  const bare = await tokenFor('mcp-server', 'openid')
  const metadata = `${address('mcp-server')}/.well-known/oauth-protected-resource/mcp`
  // biome-ignore format: this table is read by column
  const calls: [string, string, string, string | null, number, RegExp][] = [
    ['API, no token',                   'GET',  orders, null,          401, /^Bearer$/],
    ['API, a token for the MCP server', 'GET',  orders, note,          401, /^Bearer error="invalid_token"$/],
    ['API, a changed token',            'GET',  orders, `${read}A`,    401, /^Bearer error="invalid_token"$/],
    ['API, a token without the scope',  'POST', orders, read,          403, /^Bearer error="insufficient_scope", scope="orders:write"$/],
    ['MCP, no token',                   'POST', mcp,    null,          401, new RegExp(`^Bearer scope="openid notes:read notes:write", resource_metadata="${metadata}"$`)],
    ['MCP, a token for the API',        'POST', mcp,    read,          401, new RegExp(`^Bearer error="invalid_token".*resource_metadata="${metadata}"$`)],
    ['MCP, a token without the scope',  'POST', mcp,    bare,          403, /^Bearer error="insufficient_scope".*scope="openid notes:read notes:write"/],
    ['MCP, a tool that needs more',     'POST', mcp,    note,          403, /^Bearer error="insufficient_scope".*scope="openid notes:read notes:write"/],
  ]
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add_note', arguments: { note: 'Buy bread' } } }
  for (const [what, method, url, token, status, challenge] of calls)
    await t.test(`${what}: ${status}`, async () => {
      const headers = { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) }
      const response = await fetch(url, { method, headers, ...(url === mcp ? { body: JSON.stringify(message) } : {}) })
      assert.equal(response.status, status)
      assert.match(response.headers.get('www-authenticate') ?? '', challenge)
    })
  assert.equal((await fetch(orders, { headers: { authorization: `Bearer ${read}` } })).status, 200)
})

test('the set-up can run again: it keeps the client, and replaces its secret', { skip }, async () => {
  const { CLIENT_SECRET: first, ...kept } = settings['express-web'] ?? {}
  const { CLIENT_SECRET: second, ...again } = await setUp('express-web')
  assert.deepEqual(again, kept)
  assert.ok(first && second && first !== second)
})

test('each example names the versions that the tests use, and no file has more than 130 lines', () => {
  for (const name of names) {
    const { dependencies } = JSON.parse(readFileSync(join(sources, name, 'package.json'), 'utf8'))
    for (const [dependency, version] of Object.entries(dependencies)) {
      assert.equal(version, JSON.parse(readFileSync(join(root, 'node_modules', dependency, 'package.json'), 'utf8')).version, dependency)
    }
  }
  for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' }))
    if (/^(?!node_modules).*\.js$/.test(file) && statSync(join(sources, file)).isFile())
      assert.ok(readFileSync(join(sources, file), 'utf8').split('\n').length <= 130, file)
})
