/** What the survey "organizations" asks for: pages and lists at their beginning, in the middle and at their end, and searches. */
import { type Browser, formOf, openBrowser } from './browser.ts'
import { type Answer, expectStatus, request } from './connection.ts'
import { administrator, type Crowd, of_many, of_most, type Sizes } from './organization-place.ts'
import type { createPool } from './pace.ts'
import { plantedId } from './planting.ts'
import { authorization, codeIn } from './provider.ts'

/** Sends one, and returns its milliseconds without what prepares it. Throws if the answer is wrong. */
export type Asked = () => Promise<number>

type Within = ReturnType<typeof createPool>['within']

const per_page = 100
const own_per_page = 50
const no_words = 'nowhere-at-all'
export const access_of_a_member = 'access of a member'

interface Listed {
  readonly data: readonly unknown[]
  readonly has_more: boolean
  readonly next_cursor: string | null
}

export async function requestsOf(crowd: Crowd, sizes: Sizes, within: Within): Promise<Record<string, Asked>> {
  return { ...(await ofApi(crowd, sizes, within)), ...ofMemberPage(crowd, sizes), ...(await ofChoice(crowd, sizes)), ...ofAccount(crowd) }
}

/** Of the management API, with the key of a backend. */
async function ofApi({ seeded, organization_id }: Crowd, sizes: Sizes, within: Within): Promise<Record<string, Asked>> {
  const headers = { 'x-api-key': seeded.secret_key }
  const send = (path: string) => within((connection) => connection.send(request(seeded.address, 'GET', path, { headers })))
  const listed = async (path: string): Promise<Listed> => JSON.parse(expectStatus(200, await send(path)).body)
  const asked =
    (path: string, holds: (body: Listed) => boolean): Asked =>
    async () => {
      const began = performance.now()
      const answer = await send(path)
      const ms = performance.now() - began
      if (!holds(JSON.parse(expectStatus(200, answer).body))) throw new Error(`Unexpected answer of ${path}: ${answer.body.slice(0, 300)}`)
      return ms
    }
  /** The addresses of the page in the middle of a list, and of the last one. */
  async function deepPages(list: string, count: number): Promise<{ middle: string; end: string }> {
    let [path, middle] = [list, list]
    for (let n = 0; ; n++) {
      const { next_cursor } = await listed(path)
      if (next_cursor === null) return { middle, end: path }
      path = `${list}&cursor=${encodeURIComponent(next_cursor)}`
      if (n === Math.floor(count / per_page / 2)) middle = path
    }
  }
  const isFull = ({ data }: Listed) => data.length === per_page
  const isThere = ({ data }: Listed) => data.length > 0
  const isOne = ({ data }: Listed) => data.length === 1
  const isNone = ({ data }: Listed) => data.length === 0
  const organizations = `/v1/auth/organizations?limit=${per_page}`
  const members = `/v1/auth/organizations/${organization_id}/members?limit=${per_page}`
  const own = `/v1/auth/users/${seeded.people[of_most]?.id}/organizations?limit=${per_page}`
  const lists = { organizations, members, 'members with a role': `${members}&role=crowd-0`, 'organizations of a user': own }
  const counts = [sizes.organizations, sizes.members, sizes.members, sizes.most_own]
  const found: Record<string, Asked> = {}
  for (const [n, [name, list]] of Object.entries(lists).entries()) {
    const { middle, end } = await deepPages(list, counts[n] ?? 0)
    found[`${name}: first page`] = asked(list, isFull)
    found[`${name}: in the middle`] = asked(middle, isThere)
    found[`${name}: last page`] = asked(end, isThere)
  }
  const elsewhere = `${organizations}&query=${no_words}`
  const further = (await listed(elsewhere)).next_cursor
  const searches: Record<string, [string, (body: Listed) => boolean]> = {
    'organizations: search, all': [`${organizations}&query=customer`, isFull],
    'organizations: search, none': [elsewhere, isNone],
    'organizations: search, none, further on': [
      further === null ? elsewhere : `${elsewhere}&cursor=${encodeURIComponent(further)}`,
      isNone,
    ],
    'organizations: slug': [`${organizations}&slug=customer-7`, isOne],
    'organizations: unknown slug': [`${organizations}&slug=${no_words}`, isNone],
    'organizations: external id': [`${organizations}&external_id=external-7`, isOne],
    'members: search, all': [`${members}&query=member`, isFull],
    'members: search, one': [`${members}&query=member-7%40`, isOne],
    'members: search, none': [`${members}&query=${no_words}`, isNone],
    'members with a role: search, one': [`${members}&role=crowd-0&query=member-7%40`, isOne],
    'members with a role: search, none': [`${members}&role=crowd-0&query=${no_words}`, isNone],
    'members: role of few': [`${members}&role=large-0`, isOne],
    'members: role of nobody': [`${members}&role=large-1`, isNone],
    [access_of_a_member]: [
      `/v1/auth/users/${seeded.people[administrator]?.id}/access?organization_id=${organization_id}`,
      (body) => 'permissions' in body,
    ],
  }
  for (const [name, [path, holds]] of Object.entries(searches)) found[name] = asked(path, holds)
  return found
}

/** Sends a request of a browser of its own. `prepare` is not timed. */
const browsing =
  <T>(
    { seeded }: Pick<Crowd, 'seeded'>,
    who: number,
    work: {
      prepare: (browser: Browser) => Promise<T>
      timed: (browser: Browser, prepared: T) => Promise<Answer>
      check: (answer: Answer, prepared: T) => boolean
    },
  ): Asked =>
  async () => {
    const browser = await openBrowser(seeded.address, seeded.cookies[who])
    try {
      const prepared = await work.prepare(browser)
      const began = performance.now()
      const answer = await work.timed(browser, prepared)
      const ms = performance.now() - began
      if (!work.check(answer, prepared)) throw new Error(`Unexpected answer: ${answer.head.slice(0, 300)} ${answer.body.slice(0, 300)}`)
      return ms
    } finally {
      browser.close()
    }
  }

const nothing = async () => {}
const countOf = ({ body }: Answer, text: string): number => body.split(text).length - 1

/** A page for the person at this place, with so many entries. */
const page = (crowd: Pick<Crowd, 'seeded'>, who: number, url: string, { entry, count }: { entry: string; count: number }): Asked =>
  browsing(crowd, who, {
    prepare: nothing,
    timed: (browser) => browser.get(url),
    check: (answer) => answer.status === 200 && countOf(answer, entry) === count,
  })

const member_entry = '<div class="it" data-id="usr_'

/** The page of the organization for the member who administers it. */
export const memberPage = (
  crowd: Pick<Crowd, 'seeded' | 'organization_id'>,
  query: Record<string, string> = {},
  count = own_per_page,
): Asked =>
  page(crowd, administrator, `${crowd.seeded.issuer}/organizations/${crowd.organization_id}?${new URLSearchParams(query)}`, {
    entry: member_entry,
    count,
  })

const ofMemberPage = (crowd: Crowd, { members }: Sizes): Record<string, Asked> => ({
  'member page: first page': memberPage(crowd),
  'member page: in the middle': memberPage(crowd, { after: String(100 + members / 2) }),
  'member page: last page': memberPage(crowd, { after: '120' }, 21),
  'member page: search, all': memberPage(crowd, { q: 'member' }),
  'member page: search, one': memberPage(crowd, { q: 'member-7@' }, 1),
  'member page: search, none': memberPage(crowd, { q: no_words }, 0),
  'member page: one member': browsing(crowd, administrator, {
    prepare: nothing,
    timed: (browser) => browser.get(`${crowd.seeded.issuer}/organizations/${crowd.organization_id}?member=${plantedId('usr', 7)}`),
    check: ({ status, body }) => status === 200 && body.includes('member-7'),
  }),
})

const choice_entry = 'data-action="choose-organization"'

/** The page on which a person in many organizations chooses one. */
async function ofChoice({ choosing, seeded }: Crowd, sizes: Sizes): Promise<Record<string, Asked>> {
  const found: Record<string, Asked> = {}
  const crowd = { seeded }
  let turn = 0
  for (const [who, count] of [
    [of_many, sizes.own],
    [of_most, sizes.most_own],
  ] as const) {
    const parameters = choosing.jwt_access_token.parameters
    const request_page = (browser: Browser) => browser.get(authorization(choosing, parameters).path)
    const showing = (fields: Record<string, string>, shown: number) =>
      browsing(crowd, who, {
        prepare: request_page,
        timed: (browser, first) => browser.submit(first, { ...fields, turn: String(turn++) }),
        check: (answer) => answer.status === 200 && countOf(answer, choice_entry) === shown,
      })
    const of = `choice of ${count}`
    found[`${of}: first page`] = browsing(crowd, who, {
      prepare: nothing,
      timed: request_page,
      check: (answer) => answer.status === 200 && countOf(answer, choice_entry) === own_per_page,
    })
    found[`${of}: in the middle`] = showing({ more: String(count / 2) }, own_per_page)
    found[`${of}: last page`] = showing({ more: String(count - 20) }, 20)
    found[`${of}: search, all`] = showing({ q: 'customer', search: '1' }, own_per_page)
    found[`${of}: search, one`] = showing({ q: `customer-${count - 1}`, search: '1' }, 1)
    found[`${of}: search, none`] = showing({ q: no_words, search: '1' }, 0)
    found[`${of}: press`] = browsing(crowd, who, {
      async prepare(browser) {
        const asked = authorization(choosing, parameters)
        return { asked, page: await browser.get(asked.path) }
      },
      timed: (browser, { page }) => browser.submit(page, { organization: plantedId('org', count - 1), turn: String(turn++) }),
      check: (answer, { asked }) => codeIn(choosing, asked, answer) !== '',
    })
  }
  return found
}

/** The account page of the person who is a member of the most. */
const ofAccount = (crowd: Crowd): Record<string, Asked> => ({
  'account page': browsing(crowd, of_most, {
    prepare: nothing,
    timed: (browser) => browser.get(`${crowd.seeded.issuer}/account`),
    check: ({ status, body }) => status === 200 && body.includes('data-action="leave-organization"'),
  }),
})

/** Exports the account of the person who is a member of the most. Few of them are allowed in a while. */
export async function exportAccount({ seeded }: Crowd): Promise<{ ms: number; bytes: number }> {
  const browser = await openBrowser(seeded.address, seeded.cookies[of_most])
  const page = await browser.get(`${seeded.issuer}/account?action=export`)
  const began = performance.now()
  const answer = expectStatus(200, await browser.submit({ ...page, body: formWith(page.body, 'export') }, {}))
  const ms = performance.now() - began
  browser.close()
  const { organizations } = JSON.parse(answer.body)
  if (!(organizations.length > 0)) throw new Error('The export has no organizations.')
  return { ms, bytes: Buffer.byteLength(answer.body) }
}

/** The part of a page from the form on whose address ends with this action. */
function formWith(html: string, action: string): string {
  const form = html
    .split('<form ')
    .slice(1)
    .find((part) => formOf(`<form ${part}`).action.endsWith(`/${action}`))
  if (form === undefined) throw new Error(`The page has no form ${action}.`)
  return `<form ${form}`
}
