/**
 * The examples of the API reference. `OSTIARY_RECORD_EXAMPLES=1` records them from a service; without it every example that the pages show is
 * sent again as it stands there, in its three forms.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { apiExamples, type Example, whyNoExample } from '@ostiary/contract/api-examples.ts'
import type { Route } from '@ostiary/contract/route.ts'
import { oidcRoutes, routes, serviceRoutes } from '@ostiary/contract/routes.ts'
import { createClient } from '@ostiary/sdk'
import { sql } from '../../server/src/db/db.ts'
import { asAdministrator, joinTenant } from '../../server/test/support/administrator.ts'
import { authorizationRequest, createPerson, obtainCode } from '../../server/test/support/cookie-browser.ts'
import { credentialHeaders, idsOf, parametersOf, pathOf, rows } from '../../server/test/support/route-table.ts'
import { createAdministrator, createTwoTenants } from '../../server/test/support/tenants.ts'
import { startUpstreams } from '../../server/test/support/upstream-provider.ts'
import { expectStatus, type Reply, world } from '../../server/test/support/world.ts'
import { readWords } from '../src/arguments.ts'
import { readBody } from '../src/client/body.ts'
import { allOptions, optionsOf } from '../src/client/command-options.ts'
import { wordName } from '../src/client/derive.ts'
import { tableCommands } from '../src/client/own-commands.ts'
import { type CurlRequest, readCurl } from './support/curl-text.ts'
import { exampleCommand } from './support/example-command.ts'
import { exampleRequests } from './support/example-requests.ts'
import {
  answerAsExample,
  asExample,
  asReal,
  type Dictionary,
  dictionaryOf,
  made_up_token,
  madeUp,
  shapeDifferences,
} from './support/example-values.ts'

const file = join(import.meta.dirname, '../../contract/src/api-examples.json')
const is_recording = process.env.OSTIARY_RECORD_EXAMPLES === '1'
const w = await world({ outbound: (await startUpstreams()).outbound })
const { ours } = await createTwoTenants(w)
// An administrator who has left made the keys, so that the owner may approve what they plan.
await w.deployment.db.run(sql`update api_keys set made_by = '[]' where tenant_id = ${ours.tenant_id}`)
const base_url = 'https://id.example.com'

const operations = Object.entries<Route>({ ...routes, ...oidcRoutes, ...serviceRoutes })
/** The operations that have an example: all but those that say why they have none. */
const all = new Map<string, Route>(operations.filter(([name]) => whyNoExample(name) === null))

/** Objects are read before they change, and removed last, from the leaves to the roots. What ends others comes after them. */
function turnOf([name, { method, path, returns }]: [string, Route]): number {
  if (name.startsWith('logout')) return 6
  if (['disconnectGrant', 'endSession', 'removeTrustedBrowser'].includes(name)) return 4
  if (method === 'DELETE') return 5 - path.split('/').length / 100
  if (method === 'GET') return 0
  return path.endsWith('/rotate') ? 3 : returns[0] === 201 ? 1 : 2
}
const in_order = [...all].toSorted((a, b) => turnOf(a) - turnOf(b))

// A key plans, and an administrator approves. The second one is gone before members are listed.
const approver = await createAdministrator(w, 'approver@example.com')
await joinTenant(w, ours, approver, 'admin')
const as_owner = asAdministrator(w, ours.token, ours.tenant_id)
expectStatus(200, await as_owner('PATCH', `/v1/platform/projects/${ours.project_id}`, { promotion: { require_approval: true } }))
expectStatus(204, await as_owner('DELETE', `/v1/tenants/${ours.tenant_id}/members/${approver.user_id}`))
const client = await w.createApplication(ours.test, { name: 'Web shop', redirect_uris: ['https://app.example.com/callback'] })
const person = await createPerson(w, ours.test)
expectStatus(201, await as_owner('POST', `${ours.test.path}/roles`, { name: 'Owner', kind: 'organization', administers: true }))
const tokens = await person.tokens(client)
const request = authorizationRequest(ours.test, client)
const run = {
  access_token: tokens.access_token as string,
  id_token: tokens.id_token as string,
  refresh_token: tokens.refresh_token as string,
  code: await obtainCode(person.agent, request, person),
  code_verifier: request.code_verifier,
  code_challenge: new URL(request.url).searchParams.get('code_challenge') ?? '',
  client_id: client.client_id as string,
  ids: [ours.test.application_id, ours.test.user_id].join(','),
  live_id: ours.live.id,
  tenant_id: ours.tenant_id,
  user_id: person.id as string,
}
const requests = exampleRequests(run)

const dictionary = (): Dictionary =>
  dictionaryOf([
    [w.base_url, base_url],
    [run.id_token, `${made_up_token}-id`],
    [run.access_token, made_up_token],
    [run.refresh_token, `refresh-${madeUp(35)}`],
    [run.code, `code-${madeUp(38)}`],
    [run.code_verifier, `verifier-${madeUp(34)}`],
    [run.code_challenge, `challenge-${madeUp(33)}`],
  ])

/** The ids of what the examples made, by operation; and of people who wait, whom only a sign-up makes. */
const made = new Map<string, string>()
for (const who of ['a person who waits', 'another person who waits']) made.set(who, (await w.createUser(ours.test, { waits: true })).id)

/** The parameters of a path: the object that an earlier example made, or one of the tenant. */
function paramsOf(name: string, route: Route): Record<string, string> {
  const { of, params } = requests[name] ?? {}
  if (params !== undefined) return params
  const last = parametersOf(route).at(-1) ?? ''
  return { ...idsOf(route, ours), ...(of === undefined ? {} : { [last]: made.get(of) ?? assert.fail(`${name}: ${of} made nothing.`) }) }
}

const queryOf = (name: string, route: Route): Record<string, string> =>
  requests[name]?.query ?? (route.query?.shape.limit ? { limit: '2' } : {})

function variablesOf(route: Route): Record<string, string> {
  const { kind } = route.credential
  return {
    BASE_URL: w.reach(w.base_url),
    PLATFORM_KEY: ours.platform,
    API_KEY: ours.platform,
    SECRET_KEY: ours.test.secret,
    PUBLISHABLE_KEY: ours.test.publishable,
    ACCESS_TOKEN: kind === 'bearer' ? run.access_token : ours.token,
    CLIENT_ID: run.client_id,
    CLIENT_SECRET: client.client_secret as string,
  }
}

/** The request of an example, as curl would send it. */
function requestOf(name: string, route: Route): CurlRequest {
  const { headers = {}, body, form } = requests[name] ?? {}
  const query = new URLSearchParams(queryOf(name, route)).toString()
  const kind = route.credential.kind
  const of_client = `Basic ${Buffer.from(`${run.client_id}:${client.client_secret}`).toString('base64')}`
  const credentials: Record<string, string> =
    kind === 'none'
      ? {}
      : kind === 'client'
        ? { authorization: of_client }
        : kind === 'bearer'
          ? { authorization: `Bearer ${run.access_token}` }
          : credentialHeaders(kind === 'any_key' ? 'platform' : (kind as 'platform'), ours) // as: the kinds of the management API
  return {
    method: route.method,
    url: `${w.reach(w.base_url)}${pathOf(route, paramsOf(name, route))}${query === '' ? '' : `?${query}`}`,
    headers: {
      ...credentials,
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    body: form ? new URLSearchParams(form).toString() : body && JSON.stringify(body),
  }
}

async function send(name: string, { method, url, headers, body }: CurlRequest): Promise<Reply> {
  const reply = await w.call(method, url, { key: null, headers, body })
  assert.ok(reply.status < 400, `${name}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 500)}`)
  if (reply.status === 201 && typeof reply.body.id === 'string') made.set(name, reply.body.id)
  return reply
}

/** What of a reply is shown. Long texts that are not about the operation are named by their type. */
function exampleOf(name: string, route: Route, reply: Reply): Example {
  const values = dictionary()
  const { headers = {}, body, form } = requests[name] ?? {}
  const madeUpOf = <T>(value: T): T => JSON.parse(asExample(JSON.stringify(value), values))
  const asked = {
    params: madeUpOf(paramsOf(name, route)),
    query: madeUpOf(queryOf(name, route)),
    headers: madeUpOf(headers),
    ...(body ? { body: madeUpOf(body) } : {}),
    ...(form ? { form: madeUpOf(form) } : {}),
  }
  const type = reply.headers.get('content-type')?.split(';')[0] ?? null
  const is_shown = type?.endsWith('json') && name !== 'openapi'
  const answer = is_shown ? answerAsExample(JSON.stringify(shortened(reply.body)), values) : undefined
  const example = { ...asked, status: reply.status, type: reply.body === '' ? null : type, ...(answer === undefined ? {} : { answer }) }
  return { ...example, command: exampleCommand(name, example)?.text ?? null }
}

/** Lists that are not pages, such as hours, are shown by their first elements. */
const shortened = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_name, member) =>
    Array.isArray(member) && member.length > 6 && typeof member[0] === 'object' ? member.slice(0, 2) : member,
  )

/** The texts that the pages of the reference show, by operation and form, or by operation where it has no example. */
async function shownTexts(): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  const overview = String((await w.call('GET', '/docs/api', { key: null })).body)
  const urls = new Set([...overview.matchAll(/href="(\/docs\/api\/[\w-]+)"/g)].map(([, url = '']) => url))
  for (const url of urls) {
    const page = String((await w.call('GET', url, { key: null })).body)
    for (const [, label = '', text = ''] of page.matchAll(/<pre [^>]*aria-label="((?:Call|Answer) of [^"]+)"><code>([\s\S]*?)<\/code>/g))
      texts.set(label, plain(text))
    for (const [, name = '', text = ''] of page.matchAll(
      /<article id="([^"]+)">(?:(?!<\/article>)[\s\S])*<div class="example"><p class="fine">([^<]*)<\/p>/g,
    ))
      texts.set(name, plain(text))
  }
  return texts
}
const plain = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

if (is_recording)
  test('the examples are recorded', async () => {
    const recorded: Record<string, Example> = {}
    for (const [name, route] of in_order) recorded[name] = exampleOf(name, route, await send(name, requestOf(name, route)))
    const in_table = [...all.keys()].map((name): [string, Example | undefined] => [name, recorded[name]])
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(in_table), null, 2)}\n`)
  })
else {
  const texts = await shownTexts()
  const textOf = (label: string) => texts.get(label) ?? assert.fail(`The reference has no ${label}.`)

  test('each example with curl, sent as the page shows it, is answered in the shape that the page shows', async (t) => {
    assert.deepEqual(Object.keys(apiExamples), [...all.keys()], 'Record them again: OSTIARY_RECORD_EXAMPLES=1 npm test api-examples')
    for (const [name, route] of in_order)
      await t.test(name, async () => {
        const values = dictionary()
        for (const real of [...Object.values(paramsOf(name, route)), ...Object.values(queryOf(name, route))]) asExample(real, values)
        asExample(JSON.stringify(requests[name] ?? {}), values)
        const shown = readCurl(asReal(textOf(`Call of ${name} with curl`), values), variablesOf(route))
        const { method, url, body } = requestOf(name, route)
        assert.deepEqual([shown.method, shown.url], [method, url])
        assert.equal(shown.body === undefined, body === undefined)
        const { answer, ...asked } = exampleOf(name, route, await send(name, shown))
        const { answer: shown_answer, ...example } = apiExamples[name] ?? assert.fail(name)
        assert.deepEqual(asked, example)
        assert.deepEqual(shapeDifferences(shown_answer, answer), [])
        if (answer !== undefined) assert.deepEqual(JSON.parse(textOf(`Answer of ${name}`)), shown_answer)
      })
  })

  test('every other operation says on its page why it has no example', () => {
    for (const [name] of operations) assert.equal(texts.get(name) ?? null, whyNoExample(name), name)
  })

  test('each example of the SDK sends the request of its example with curl', async () => {
    for (const { name, route } of rows) {
      const example = apiExamples[name] ?? assert.fail(name)
      const sent: Request[] = []
      const ostiary = createClient({
        base_url,
        api_key: 'made-up',
        fetch: async (url, init) => {
          sent.push(new Request(String(url), init))
          return example.answer === undefined ? new Response(null, { status: example.status }) : Response.json(example.answer)
        },
      })
      const text = textOf(`Call of ${name} with SDK`)
      const answer: unknown = await new Function(
        'ostiary',
        `return (async () => { ${text}\n${text.startsWith('const answer') ? 'return answer' : ''} })()`,
      )(ostiary)
      assert.deepEqual(answer, example.answer, name)
      const [request] = sent
      const curl = readCurl(textOf(`Call of ${name} with curl`), { ...variablesOf(route), BASE_URL: base_url })
      assert.deepEqual([request?.method, request?.url], [curl.method, curl.url])
      const body = await request?.text()
      assert.deepEqual(body ? JSON.parse(body) : undefined, curl.body && JSON.parse(curl.body), name)
      for (const header of ['content-type', 'origin'])
        if (curl.headers[header] !== undefined) assert.equal(request?.headers.get(header), curl.headers[header], name)
    }
  })

  test('each example on the command line is read as the request of its example', async () => {
    let count = 0
    for (const [name, { command: text, ...example }] of Object.entries(apiExamples)) {
      const expected = exampleCommand(name, example)
      assert.equal(text, expected?.text ?? null, name)
      const command = tableCommands().find(({ rows: each }) => each.some((row) => row.name === name))
      if (expected === null || command === undefined) continue
      const options = optionsOf(command)
      const words = command.rows[0].words.map(wordName)
      const written = readWords({ call: name, options: allOptions(options), words }, expected.words)
      const input = Readable.from(expected.input === null ? [] : [expected.input])
      // The body is read from standard input only, and from nothing else of a terminal.
      const io = { input } as unknown as Parameters<typeof readBody>[0] // as: what the function uses
      const read = await readBody(io, { fields: options.fields, is_large: false }, written.values)
      assert.deepEqual(read, { body: example.body ?? {} }, name)
      for (const [option, value] of Object.entries(example.query))
        assert.equal(String(written.values.get(option.replaceAll('_', '-'))), value)
      assert.deepEqual(
        written.words,
        command.rows[0].words.map((parameter) => example.params[parameter]),
      )
      count += 1
    }
    assert.ok(count > 80, String(count))
  })
}
