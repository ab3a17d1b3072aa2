/** The snippets of the dashboard's Connect panel: each one that this machine can run signs a person in at the service. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { ResourceServer } from '@ostiary/contract/objects/resource-server.ts'
import { build, stop } from 'esbuild'
import { double, single, word } from '../../../dashboard/src/pages/application/snippets/values.ts'
import { snippetsOf } from '../../../dashboard/src/pages/application/snippets.ts'
import { noBrowser } from '../support/chromium.ts'
import { startClientServer } from '../support/client-server.ts'
import * as connect from '../support/connect.ts'
import { authorizationRequest, createAgent, exchange, followToClient, obtainCode } from '../support/cookie-browser.ts'
import { freePort } from '../support/free-port.ts'
import { organizationsOf } from '../support/organizations.ts'
import { launchForTests } from '../support/page-audit.ts'
import { until } from '../support/receiver.ts'
import { type Place, runProgram, startProgram } from '../support/terminal.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const user = await w.createUser(w.test)
const { publicKey, privateKey } = await crypto.subtle.generateKey(
  { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
  true,
  ['sign', 'verify'],
)
const jwk = async (key: typeof publicKey) => ({ ...(await crypto.subtle.exportKey('jwk', key)), kid: 'key-1' })

/** An application, and the code of one of its snippets. */
async function snippetOf(
  name: string,
  method: string,
  redirect_uri: string,
  { servers = [], ...fields }: { organizations?: 'optional'; allowed_scopes?: string[]; servers?: ResourceServer[] } = {},
) {
  const application = await w.createApplication(w.test, {
    redirect_uris: [redirect_uri, new URL('/auth/callback/ostiary', redirect_uri).href],
    application_type: method === 'none' ? (name === 'oidc-client-ts' ? 'spa' : 'native') : 'web',
    token_endpoint_auth_method: method,
    ...fields,
    ...(method === 'private_key_jwt' ? { jwks: { keys: [await jwk(publicKey)] } } : {}),
  })
  const snippet =
    snippetsOf(application, { issuer: w.test.issuer, base_url: w.base_url, servers }).find((one) => one.name === name) ?? assert.fail(name)
  return { application, snippet, code: snippet.code }
}

interface Program {
  /** The files beside the snippet. */
  files?: Record<string, string>
  /** In place of the command that the panel shows. */
  command?: string
  skip?: string | false
}
const programs: Record<string, Program> = {
  'openid-client': { files: { 'server.mjs': connect.openid_client_server }, command: 'exec node --env-file=.env server.mjs' },
  Express: {},
  'Auth.js': {},
  Python: { skip: connect.noPython },
  Go: { command: 'set -a; . ./.env; exec ./program', skip: connect.noGo },
}
/** Those with a test of their own below. */
const others = ['curl', 'oidc-client-ts', 'MCP server']

// biome-ignore format: this table is read by column
const rows: [string, string, string][] = [
  ['openid-client', 'client_secret_basic', 'localhost'],
  ['openid-client', 'client_secret_post',  'localhost'],
  ['openid-client', 'private_key_jwt',     'localhost'],
  ['openid-client', 'none',                'localhost'],
  ['Express',       'client_secret_basic', '127.0.0.1'],
  ['Auth.js',       'client_secret_basic', 'localhost'],
  ['Auth.js',       'client_secret_post',  'localhost'],
  ['Python',        'client_secret_basic', 'localhost'],
  ['Python',        'client_secret_post',  '127.0.0.1'],
  ['Go',            'client_secret_basic', 'localhost'],
  ['Go',            'none',                '127.0.0.1'],
]
/** Starts the program of a snippet, and returns where it answers. */
async function startSnippet([name, method, host]: (typeof rows)[number], fields: Parameters<typeof snippetOf>[3] = {}): Promise<string> {
  const { files = {}, command } = programs[name] ?? assert.fail(name)
  const port = await freePort()
  const origin = `http://${host}:${port}`
  const { application, snippet } = await snippetOf(name, method, `${origin}/callback`, fields)
  const { program, code } = snippet
  const folder = connect.programFolder()
  const secrets = {
    'the-client-secret': application.client_secret ?? '',
    'the-private-key-as-a-JWK': JSON.stringify(await jwk(privateKey)),
  }
  const filled = program.env.map((line) => line.replace(/[^=]+$/, (value: string) => (secrets as Record<string, string>)[value] ?? value)) // as: by its name
  const made = program.made_secret ? [`${program.made_secret}=a-secret-of-this-test`] : []
  const all = { ...files, [program.file]: code, '.env': [...filled, ...made].join('\n') }
  for (const [path, text] of Object.entries(all)) writeFileSync(join(folder, path), text)
  if (name === 'Go') compile(folder)
  assert.equal(program.opens?.replace('/sign-in', ''), name === 'openid-client' ? undefined : origin)
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${dirname(connect.python)}:${process.env.PATH}`,
    PORT: String(port),
  }
  // The program takes the place of the shell, so that it ends with the test.
  const [, in_shell] = /^\((set -a; .*)\)$/.exec(program.run ?? '') ?? []
  await serve(command ?? in_shell ?? `exec ${program.run}`, { cwd: folder, env }, origin)
  return origin
}

for (const row of rows) {
  const [name, method] = row
  const { skip = false } = programs[name] ?? assert.fail(name)
  test(`${name} signs a person in with ${method}, and refuses an answer that the browser did not ask for`, { skip }, async () => {
    const origin = await startSnippet(row)
    const agent = createAgent()
    const begun = await (name === 'Auth.js' ? beginWithAuthJs(agent, origin) : agent.get(`${origin}/sign-in`))
    const url = new URL(begun.headers.get('location') ?? assert.fail(begun.body))
    const { code_challenge_method, state, nonce, redirect_uri = '' } = Object.fromEntries(url.searchParams)
    assert.equal(code_challenge_method, 'S256')
    assert.ok(state && nonce)
    const callback = (await followToClient(agent, { url: url.href, redirect_uri }, user)).href
    const stolen = await createAgent().get(callback)
    assert.ok(stolen.status >= 300 && !stolen.body.includes(user.id), stolen.body)
    const answer = await agent.get(callback)
    const home = answer.status === 200 ? answer : await agent.get(origin)
    assert.match(home.body, new RegExp(`Signed in as ${user.id}`))
  })
}

const of_test = await organizationsOf(w, w.test)
const acme = await of_test.create({ name: 'Acme', slug: 'acme', members: [{ user_id: user.id }] })

// biome-ignore format: this table is read by column
const in_organizations: (typeof rows)[number][] = [
  ['openid-client', 'none',                'localhost'],
  ['Express',       'client_secret_basic', 'localhost'],
  ['Auth.js',       'client_secret_basic', 'localhost'],
  ['Python',        'client_secret_basic', 'localhost'],
  ['Go',            'client_secret_basic', 'localhost'],
]
for (const row of in_organizations) {
  const [name] = row
  const { skip = false } = programs[name] ?? assert.fail(name)
  test(`${name} asks for an organization, and its token is for it`, { skip }, async () => {
    const origin = await startSnippet(row, { organizations: 'optional' })
    const agent = createAgent()
    const query = '?organization=acme'
    const begun = await (name === 'Auth.js' ? beginWithAuthJs(agent, origin, query) : agent.get(`${origin}/sign-in${query}`))
    const url = new URL(begun.headers.get('location') ?? assert.fail(begun.body))
    assert.equal(url.searchParams.get('organization'), 'acme')
    const redirect_uri = url.searchParams.get('redirect_uri') ?? ''
    const answer = await agent.get((await followToClient(agent, { url: url.href, redirect_uri }, user)).href)
    const home = answer.status === 200 ? answer : await agent.get(origin)
    assert.match(home.body, new RegExp(`Signed in as ${user.id} in ${acme.id}`))
  })
}

/** The page of Auth.js with its button is a form with a token. */
async function beginWithAuthJs(agent: ReturnType<typeof createAgent>, origin: string, query = '') {
  const { csrfToken } = JSON.parse((await agent.get(`${origin}/auth/csrf`)).body)
  return agent.post(`${origin}/auth/signin/ostiary${query}`, { csrfToken, callbackUrl: `${origin}/` })
}

/** Starts a server, and waits until it answers at an address. */
async function serve(command: string, place: Place, address: string): Promise<void> {
  const program = runProgram(command, place)
  const answers = async () => {
    assert.ok(!program.hasEnded(), program.output())
    return fetch(address).then(
      () => true,
      () => false,
    )
  }
  await until('the server answers', answers)
}

/** Compiles the program of a folder with the libraries that `.ci/run` has fetched. */
function compile(folder: string): void {
  for (const file of ['go.mod', 'go.sum']) copyFileSync(join(connect.go_module, file), join(folder, file))
  const { status, stderr } = spawnSync('go', ['build', '-o', 'program', 'main.go'], {
    cwd: folder,
    env: { ...process.env, ...connect.go_environment },
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
}

for (const method of ['client_secret_basic', 'client_secret_post', 'none'])
  test(`curl signs a person in with ${method}`, { skip: process.platform === 'win32' && 'a script for a POSIX shell' }, async () => {
    const redirect_uri = "http://localhost:49152/call'back"
    const { application, code } = await snippetOf('curl', method, redirect_uri)
    const folder = connect.programFolder()
    writeFileSync(join(folder, 'sign-in.sh'), code)
    const env = { ...process.env, OSTIARY_CLIENT_SECRET: application.client_secret ?? '' }
    const begin = () => startProgram('exec sh sign-in.sh', /paste the address/, { cwd: folder, env })
    const script = await begin()
    const url = /^http\S+$/m.exec(script.output())?.[0] ?? assert.fail(script.output())
    const returned = (await followToClient(createAgent(), { url, redirect_uri }, user)).href
    const another = await begin()
    another.type(returned)
    assert.match(await another.ended, /not the answer to the request above\.\n$/)
    script.type(returned)
    const output = await script.ended
    assert.match(output, /"id_token":"/)
    assert.match(output, new RegExp(`\\{"sub":"${user.id}".*\\}$`))
  })

test(
  'curl asks for an organization, and its token is for it',
  { skip: process.platform === 'win32' && 'a script for a POSIX shell' },
  async () => {
    const redirect_uri = 'http://localhost:49152/callback'
    const { code } = await snippetOf('curl', 'none', redirect_uri, { organizations: 'optional' })
    const folder = connect.programFolder()
    writeFileSync(join(folder, 'sign-in.sh'), code)
    const script = await startProgram('exec sh sign-in.sh acme', /paste the address/, { cwd: folder, env: process.env })
    const url = /^http\S+$/m.exec(script.output())?.[0] ?? assert.fail(script.output())
    assert.equal(new URL(url).searchParams.get('organization'), 'acme')
    script.type((await followToClient(createAgent(), { url, redirect_uri }, user)).href)
    assert.match(await script.ended, new RegExp(`"org_id":"${acme.id}"`))
  },
)

for (const organizations of [undefined, 'optional'] as const)
  test(
    `oidc-client-ts signs a person in within a bundled page${organizations ? ', to the organization that it asks for' : ''}`,
    { skip: noBrowser },
    async (t) => {
      const page_source = '<!doctype html><title>App</title><body><script type="module" src="/main.js"></script>'
      const files = { '/': { type: 'text/html', body: page_source }, '/main.js': { type: 'text/javascript', body: '' } }
      const { origin } = await startClientServer(t, files)
      const { code } = await snippetOf('oidc-client-ts', 'none', `${origin}/`, organizations ? { organizations } : {})
      const bundled = await build({
        stdin: { contents: code, resolveDir: connect.programFolder() },
        bundle: true,
        format: 'esm',
        platform: 'browser',
        write: false,
      })
      await stop()
      files['/main.js'].body = bundled.outputFiles[0]?.text ?? ''
      const page = await (await launchForTests(t)).newPage()
      await page.goto(organizations ? `${origin}/?organization=acme` : origin)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByLabel('Password').waitFor()
      const { code_challenge_method, nonce, organization } = Object.fromEntries(new URL(page.url()).searchParams)
      assert.ok(code_challenge_method === 'S256' && nonce)
      assert.equal(organization, organizations ? 'acme' : undefined)
      await page.getByLabel('Email address').fill(user.email)
      await page.getByLabel('Password').fill(user.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText(`Signed in as ${user.id}${organizations ? ` in ${acme.id}` : ''}`).waitFor()
    },
  )

for (const alg of ['RS256', 'ES256'] as const)
  test(`the MCP server of a resource server with ${alg} answers a call with a token for it, and refuses one without and one for another resource`, async () => {
    const address = `http://localhost:${await freePort()}/mcp`
    const create = (identifier: string, name: string) =>
      w.call('POST', `${w.test.path}/resource-servers`, {
        body: { identifier, name, scopes: [{ name: `tools:${alg}`, description: 'Call tools' }], access_token_signing_alg: alg },
      })
    const servers = [expectStatus(201, await create(address, `Tools ${alg}`))]
    const other = `https://other-${alg}.example.com`
    expectStatus(201, await create(other, `Other ${alg}`))
    const allowed_scopes = ['openid', `tools:${alg}`]
    const redirect_uri = 'http://localhost:49152/callback'
    const { application, code } = await snippetOf('MCP server', 'client_secret_basic', redirect_uri, { allowed_scopes, servers })
    assert.equal(code.includes("algorithms: ['ES256']"), alg === 'ES256')
    const folder = connect.programFolder()
    writeFileSync(join(folder, 'server.js'), code.replaceAll('tools:call', `tools:${alg}`))
    await serve(`exec '${process.execPath}' server.js`, { cwd: folder, env: { ...process.env, MCP_ADDRESS: address } }, address)

    const call = (token: string) =>
      fetch(address, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {} } }),
      })
    const tokenFor = async (resource: string) => {
      const request = authorizationRequest(w.test, application, { scope: allowed_scopes.join(' '), resource })
      const authorization_code = await obtainCode(createAgent(), request, user)
      return expectStatus(200, await exchange(w, w.test, application, { request, code: authorization_code })).access_token
    }
    const refused = await call('')
    assert.equal(refused.status, 401)
    const metadata = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? ''
    assert.deepEqual(await (await fetch(metadata)).json(), {
      resource: address,
      authorization_servers: [w.test.issuer],
      scopes_supported: allowed_scopes,
      bearer_methods_supported: ['header'],
    })
    assert.equal((await call(await tokenFor(other))).status, 401)
    const answered = await call(await tokenFor(address))
    assert.match(await answered.text(), new RegExp(user.id))
  })

test('a redirect URI with quotes stays a text in every language', () => {
  const hostile = `https://app.example.com/\\'"$(id)\`id\`+process.exit(1)+`
  assert.equal(Function(`return ${single(hostile)}`)(), hostile)
  assert.equal(JSON.parse(double(hostile)), hostile)
  if (process.platform !== 'win32')
    assert.equal(spawnSync('sh', ['-c', `printf %s ${word(hostile)}`], { encoding: 'utf8' }).stdout, hostile)
})

// biome-ignore format: this table is read by column
const shown: [string, string, string, string[]][] = [
  ['web',    'client_secret_basic', 'https://app.example.com/cb',   ['Express', 'openid-client', 'Auth.js', 'Python', 'Go', '.NET', 'curl', 'MCP server']],
  ['web',    'client_secret',       'https://app.example.com/cb',   ['Express', 'openid-client', 'Auth.js', 'Python', 'Go', '.NET', 'curl', 'MCP server']],
  ['web',    'private_key_jwt',     'https://app.example.com/cb',   ['Express', 'openid-client', 'MCP server']],
  ['spa',    'none',                'https://app.example.com/',     ['oidc-client-ts', 'curl']],
  ['native', 'none',                'http://127.0.0.1/cb',          ['openid-client', 'Go', 'curl', 'MCP server']],
  ['native', 'none',                'com.example.app:/cb',          ['openid-client', 'curl', 'MCP server']],
]
for (const [application_type, token_endpoint_auth_method, redirect_uri, names] of shown)
  test(`a ${application_type} application with ${token_endpoint_auth_method} at ${redirect_uri} has the snippets ${names.join(', ')}`, () => {
    const application = {
      application_type,
      token_endpoint_auth_method,
      redirect_uris: [redirect_uri],
      client_id: 'app_1',
      allow_loopback_port: true,
      organizations: 'none',
    }
    const snippets = snippetsOf(application as Parameters<typeof snippetsOf>[0], { issuer: w.test.issuer, base_url: w.base_url }) // as: words of the table
    assert.deepEqual(
      snippets.map(({ name }) => name),
      names,
    )
    for (const { name, is_not_run = false } of snippets) assert.equal(is_not_run, !(name in programs || others.includes(name)), name)
  })
