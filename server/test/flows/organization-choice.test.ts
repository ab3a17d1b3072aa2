/** For which organization a person acts, as one table: what the request says, how many organizations they have, what the application wants. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Agent,
  authorizationRequest,
  createPerson,
  exchange,
  type Fields,
  followPages,
  followToClient,
  refresh,
} from '../support/cookie-browser.ts'
import { answerOf, joinMany, organizationsOf, readAnswer } from '../support/organizations.ts'
import { payloadOf } from '../support/role-person.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const environment = w.test
const orgs = await organizationsOf(w, environment)
type Use = 'none' | 'optional' | 'required'
const application = (organizations: Use) => w.createApplication(environment, { name: `Shop ${organizations}`, organizations })
const clients = { none: await application('none'), optional: await application('optional'), required: await application('required') }

const newPerson = () => createPerson(w, environment)
type Person = Awaited<ReturnType<typeof newPerson>>
const addTo = async ({ id }: { id: string }, ...people: Person[]) => {
  for (const person of people) expectStatus(201, await orgs.add(id, person.id))
}
/** Makes the account of a person the current one of a browser. Others stay there. */
const signIn = (person: Person, agent: Agent = person.agent) =>
  followToClient(agent, authorizationRequest(environment, clients.none, { prompt: 'login' }), person)

interface Member {
  person: Person
  /** One of the organizations, in the middle of the list; `undefined` without any. */
  own: { id: string; slug: string } | undefined
  /** An ID token for it, which the person had before; without any organization for none. */
  hint: string
  /** An ID token without an organization. */
  plain: string
}
async function memberOf(count: number): Promise<Member> {
  const person = await newPerson()
  const every: { id: string; slug: string }[] = []
  if (count > 2)
    for (const [i, id] of (await joinMany(w, environment, person.id, count)).entries()) every.push({ id, slug: `customer-${i + 1}` })
  else for (let i = 0; i < count; i++) every.push(await orgs.create({ name: `Few ${i}` }))
  if (count <= 2) for (const organization of every) await addTo(organization, person)
  const own = every[count >> 1]
  const organization = own?.id ?? 'none'
  const hint = (await person.tokens(clients.optional, { organization })).id_token
  const plain = (await person.tokens(clients.none)).id_token
  return { person, own, hint, plain }
}
const counts = [0, 1, 2, 2_000] as const
const members: Record<(typeof counts)[number], Member> = {
  0: await memberOf(0),
  1: await memberOf(1),
  2: await memberOf(2),
  2000: await memberOf(2_000),
}
const foreign = await orgs.create({ name: 'Foreign', slug: 'foreign' })

const paths = {
  nothing: () => ({}),
  'the id of an own one': ({ own }) => ({ organization: own?.id }),
  'the slug of an own one': ({ own }) => ({ organization: own?.slug }),
  'a foreign one': () => ({ organization: foreign.slug }),
  none: () => ({ organization: 'none' }),
  'a hint of an own one': ({ hint }) => ({ id_token_hint: hint }),
  'a hint without one': ({ plain }) => ({ id_token_hint: plain }),
  'a hint of an own one, and none': ({ hint }) => ({ id_token_hint: hint, organization: 'none' }),
  'a hint of an own one, and a foreign one': ({ hint }) => ({ id_token_hint: hint, organization: foreign.id }),
} satisfies Record<string, (member: Member) => Fields>

/** `alone` and `own` give a code, whose tokens are for no organization or for that one. */
type Result = 'alone' | 'own' | 'page' | 'shut' | 'invalid'
/** With a page that may be shown, and with `prompt=none`. */
const answers: Record<Result, { shown: string; silent: string }> = {
  alone: { shown: 'code', silent: 'code' },
  own: { shown: 'code', silent: 'code' },
  page: { shown: 'select-organization', silent: 'interaction_required' },
  shut: { shown: 'no-access', silent: 'access_denied' },
  invalid: { shown: 'invalid_request', silent: 'invalid_request' },
}

// biome-ignore format: this table is read by line. The results are for members of 0, 1, 2 and 2,000 organizations.
const rules: [Use, keyof typeof paths, [Result, Result, Result, Result]][] = [
  ['none',     'nothing',                                 ['alone', 'alone', 'alone', 'alone']],
  ['none',     'the id of an own one',                    ['alone', 'alone', 'alone', 'alone']],
  ['none',     'the slug of an own one',                  ['alone', 'alone', 'alone', 'alone']],
  ['none',     'a foreign one',                           ['alone', 'alone', 'alone', 'alone']],
  ['none',     'none',                                    ['alone', 'alone', 'alone', 'alone']],
  ['none',     'a hint of an own one',                    ['alone', 'alone', 'alone', 'alone']],
  ['none',     'a hint without one',                      ['alone', 'alone', 'alone', 'alone']],
  ['none',     'a hint of an own one, and none',          ['alone', 'alone', 'alone', 'alone']],
  ['none',     'a hint of an own one, and a foreign one', ['alone', 'alone', 'alone', 'alone']],
  ['optional', 'nothing',                                 ['alone', 'page',  'page',  'page']],
  ['optional', 'the id of an own one',                    ['alone', 'own',   'own',   'own']],
  ['optional', 'the slug of an own one',                  ['alone', 'own',   'own',   'own']],
  ['optional', 'a foreign one',                           ['shut',  'shut',  'shut',  'shut']],
  ['optional', 'none',                                    ['alone', 'alone', 'alone', 'alone']],
  ['optional', 'a hint of an own one',                    ['alone', 'own',   'own',   'own']],
  ['optional', 'a hint without one',                      ['alone', 'page',  'page',  'page']],
  ['optional', 'a hint of an own one, and none',          ['alone', 'alone', 'alone', 'alone']],
  ['optional', 'a hint of an own one, and a foreign one', ['shut',  'shut',  'shut',  'shut']],
  ['required', 'nothing',                                 ['shut',  'own',   'page',  'page']],
  ['required', 'the id of an own one',                    ['shut',  'own',   'own',   'own']],
  ['required', 'the slug of an own one',                  ['shut',  'own',   'own',   'own']],
  ['required', 'a foreign one',                           ['shut',  'shut',  'shut',  'shut']],
  ['required', 'none',                                    ['invalid', 'invalid', 'invalid', 'invalid']],
  ['required', 'a hint of an own one',                    ['shut',  'own',   'own',   'own']],
  ['required', 'a hint without one',                      ['shut',  'own',   'page',  'page']],
  ['required', 'a hint of an own one, and none',          ['invalid', 'invalid', 'invalid', 'invalid']],
  ['required', 'a hint of an own one, and a foreign one', ['shut',  'shut',  'shut',  'shut']],
]
for (const [use, path, results] of rules)
  test(`where organizations are ${use}, a request that names ${path} is answered by how many the person has: ${results.join(', ')}`, async () => {
    for (const [i, count] of counts.entries()) {
      const member = members[count]
      const expected = results[i] ?? assert.fail()
      const { shown, silent } = answers[expected]
      for (const [change, result] of [
        [{}, shown],
        [{ prompt: 'none' }, silent],
      ] as const) {
        const answer = await answerOf(environment, member.person.agent, clients[use], { ...paths[path](member), ...change })
        const at = `${count} organizations, ${JSON.stringify(change)}`
        assert.equal(answer.result, result, at)
        if (answer.code === '') continue
        const { access_token, id_token } = expectStatus(200, await exchange(w, environment, clients[use], answer))
        const org_id = expected === 'own' ? member.own?.id : undefined
        assert.deepEqual([payloadOf(access_token).org_id, payloadOf(id_token).org_id], [org_id, org_id], at)
      }
    }
  })

test('every use and path stands in the table once', () => {
  const rows = new Set(rules.map(([use, path]) => `${use} ${path}`))
  assert.equal(rows.size, rules.length)
  assert.equal(rows.size, Object.keys(clients).length * Object.keys(paths).length)
})

/** The organizations of a page, in its order. */
const idsOn = (page: Reply) => [...page.body.matchAll(/<li data-id="([^"]*)"/g)].map(([, id = '']) => id)
const nextOn = (page: Reply) => /name="more" value="([0-9]+)"/.exec(page.body)?.[1]

test('2,000 organizations are listed 50 at a time, those used last first, and found by words, without script', async () => {
  const { person, own = assert.fail() } = members[2_000]
  const { agent } = person
  const request = authorizationRequest(environment, clients.optional)
  const first = await followPages(agent, await agent.get(request.url))
  assert.equal(idsOn(first)[0], own.id, 'the one that was used')
  const seen = new Set<string>()
  let page = first
  const press = async (more: string) => {
    page = await followPages(agent, await agent.submit(page, { more }))
    assert.equal(idsOn(page).length, 50)
    assert.ok(page.body.includes('data-action="no-organization"'), 'on every part')
    for (const id of idsOn(page)) seen.add(id)
  }
  await press('0')
  for (const from of ['50', '100', '150']) {
    assert.equal(nextOn(page), from)
    await press(from)
  }
  await press('1900')
  await press(nextOn(page) ?? assert.fail())
  assert.deepEqual([nextOn(page), seen.size], [undefined, 6 * 50])

  const search = async (q: string) => followPages(agent, await agent.submit(page, { search: '1', q }))
  assert.deepEqual(idsOn(await search('no such customer')), [])
  assert.equal(idsOn(await search('customer')).length, 50)
  const found = await search('1999 CUSTOMER')
  assert.deepEqual(idsOn(found).length, 1)
  const chosen = await agent.submit(found, { organization: idsOn(found)[0] ?? '' })
  const back = await followToClient(agent, { url: chosen.headers.get('location') ?? '', redirect_uri: request.redirect_uri }, person)
  const tokens = expectStatus(200, await exchange(w, environment, clients.optional, { request, code: back.searchParams.get('code') ?? '' }))
  assert.equal(payloadOf(tokens.access_token).org_id, idsOn(found)[0])
  assert.deepEqual(idsOn(await agent.get(authorizationRequest(environment, clients.optional).url))[0], idsOn(found)[0], 'used last')
})

/** Two people, signed in in one browser: the account of the first is the current one. */
const [current, other] = [await newPerson(), await newPerson()]
const { agent } = current
await signIn(current)
await signIn(other, agent)
await signIn(current, agent)
const places = {
  'the current account': await orgs.create({ name: 'Of the current' }),
  'the other account': await orgs.create({ name: 'Of the other' }),
  'both accounts': await orgs.create({ name: 'Of both' }),
  'no account': foreign,
}
await addTo(places['the current account'], current)
await addTo(places['the other account'], other)
await addTo(places['both accounts'], current, other)
const hintOf = async (person: Person, organization: string, browser: Agent) => {
  const request = authorizationRequest(environment, clients.optional, { organization, prompt: 'login' })
  const code = (await followToClient(browser, request, person)).searchParams.get('code') ?? ''
  return expectStatus(200, await exchange(w, environment, clients.optional, { request, code })).id_token
}
const hint_of_other = await hintOf(other, places['the other account'].id, other.agent)

// biome-ignore format: this table is read by line. The last column: what the account gets that is chosen of the two.
const accounts: [keyof typeof places, Fields, string, { current: string; other: string } | null][] = [
  ['the current account', {},                              'code',           null],
  ['both accounts',       {},                              'code',           null],
  ['the other account',   {},                              'select-account', { current: 'no-access', other: 'code' }],
  ['no account',          {},                              'no-access',      null],
  ['the current account', { prompt: 'select_account' },    'select-account', { current: 'code', other: 'no-access' }],
  ['the other account',   { prompt: 'select_account' },    'select-account', { current: 'no-access', other: 'code' }],
  ['both accounts',       { prompt: 'select_account' },    'select-account', { current: 'code', other: 'code' }],
  ['the current account', { prompt: 'none' },              'code',           null],
  ['the other account',   { prompt: 'none' },              'access_denied',  null],
  ['the other account',   { id_token_hint: hint_of_other }, 'code',          null],
  ['the current account', { id_token_hint: hint_of_other }, 'no-access',     null],
  ['the current account', { id_token_hint: hint_of_other, prompt: 'none' }, 'access_denied', null],
]
for (const [whose, change, result, chosen] of accounts)
  test(`of two accounts in a browser, a request for the organization of ${whose} ${Object.keys(change)} is answered by ${result}`, async () => {
    const ask = { ...change, organization: places[whose].id }
    const answer = await answerOf(environment, agent, clients.required, ask)
    assert.equal(answer.result, result)
    const subjectOf = async (code: string) => {
      const { access_token } = expectStatus(200, await exchange(w, environment, clients.required, { request: answer.request, code }))
      const { sub, org_id } = payloadOf(access_token)
      assert.equal(org_id, places[whose].id)
      return sub
    }
    if (answer.code !== '') assert.equal(await subjectOf(answer.code), 'id_token_hint' in change ? other.id : current.id)
    for (const [name, expected] of Object.entries(chosen ?? {})) {
      const person = name === 'current' ? current : other
      const after = await choose(answer.reply, person)
      assert.equal(after.result, expected, name)
      if (after.code !== '') assert.equal(await subjectOf(after.code), person.id)
      await signIn(current, agent)
    }
  })

/** Chooses the account of a person on the account chooser. */
async function choose(chooser: Reply, { email }: Person) {
  const rows = chooser.body.split('<li data-id="').map((row: string) => ({ session: row.slice(0, row.indexOf('"')), row }))
  const { session } = rows.find(({ row }: { row: string }) => row.includes(email)) ?? assert.fail(email)
  const { headers } = await agent.submit(chooser, { session })
  return readAnswer(await agent.get(headers.get('location') ?? ''))
}

test('a request that names no organization asks for no other account, even if that one has an organization', async () => {
  const [without, within] = [await newPerson(), await newPerson()]
  await addTo(places['no account'], within)
  await signIn(without)
  await signIn(within, without.agent)
  await signIn(without, without.agent)
  const page = await answerOf(environment, without.agent, clients.required, {})
  assert.equal(page.result, 'no-access')
  assert.ok(page.reply.body.includes('data-action="use-other-account"'))
})

test('tabs act in two organizations, for two accounts of one browser, and none of 200 interleaved refreshes changes one', async () => {
  const both = places['both accounts'].id
  const sessions = [
    { person: current, org_id: both, client: clients.required },
    { person: current, org_id: places['the current account'].id, client: clients.required },
    { person: current, org_id: undefined, client: clients.optional },
    { person: other, org_id: both, client: clients.required },
  ]
  const open = async (session: (typeof sessions)[number]) => {
    const { person, org_id, client } = session
    const request = authorizationRequest(environment, client, { organization: org_id ?? 'none', prompt: 'login' })
    const code = (await followToClient(agent, request, person)).searchParams.get('code') ?? ''
    return { ...session, tokens: expectStatus(200, await exchange(w, environment, client, { request, code })) }
  }
  const tabs: Awaited<ReturnType<typeof open>>[] = []
  for (const session of sessions) tabs.push(await open(session))
  let refreshes = 0
  const run = async (tab: (typeof tabs)[number]) => {
    for (let n = 0; n < 200 / tabs.length; n++, refreshes++) {
      tab.tokens = expectStatus(200, await refresh(w, environment, tab.client, tab.tokens.refresh_token))
      for (const token of [tab.tokens.access_token, tab.tokens.id_token]) {
        const { sub, org_id } = payloadOf(token)
        assert.deepEqual([sub, org_id], [tab.person.id, tab.org_id])
      }
    }
  }
  await Promise.all(tabs.map(run))
  assert.equal(refreshes, 200)
})
