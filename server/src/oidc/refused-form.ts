/**
 * A refused form (decision 0156): its POST leads by 303 to the address of its step, and the GET of that address answers the page with the
 * refusal and what was typed, for a minute. So Back, Forward and Reload never end at a dead page of the browser.
 *
 * The values that the page shows are sealed in a cookie of this request and step, with a form cookie of the browser; the service stores
 * nothing. The cookie is deleted when the step continues. The refused call is recorded once, at the POST.
 */
import { digestOf } from '../base/digest.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { openForBrowser, sealForBrowser } from '../deployment/secrets/secrets.ts'
import { copyOf, readQuery } from '../http/query.ts'
import type { Browser } from './browser.ts'
import { type Answer, type OidcCall, redirect } from './call.ts'
import { cookie, cookieName, cookiesOf, withCookies } from './cookies.ts'
import { formSeed } from './form-token.ts'

/** The values that a page shows again. A password, a code and a secret have none of these names, so none of them is ever in a cookie. */
const shown_again = [
  'email', 'name', 'values', 'typed', 'using', 'trusts', 'problem', 'problems', 'wrong', 'wait_seconds', 'removed_passkey',
  'decision', 'ends_at', 'page', 'kind', 'request_id', 'reason', 'provider_name', 'has',
] as const // biome-ignore format: one list
export type ShownAgain = { readonly [Name in (typeof shown_again)[number]]?: unknown }

const kept_seconds = 60
/** Of all cookies of refused forms of a browser: their number, and the bytes of their names and values. */
const most = { cookies: 5, bytes: 3_500 }
/** In characters. A longer text is not shown again. */
const longest_text = 1_000

/** A step: its name, the request that it belongs to, and the address of its page. */
export interface StepPlace {
  name: string
  query: string
  address: string
}

type Services = Pick<Deployment, 'secrets' | 'random'>
type Seeds = Pick<Browser, 'form_seed' | 'form_seeds'>

/**
 * The page of a step. A form leads to its address, where the page shows `view` again; every other call is answered with the page, which
 * shows what the last form of this step was refused for.
 */
export function showStep<V extends ShownAgain, R extends Answer | Promise<Answer>>(
  services: Services,
  call: OidcCall,
  browser: Seeds,
  { place, view, page }: { place: StepPlace; view: V; page: (view: V) => R },
): R | Answer {
  if (call.method === 'POST') return leadTo(services, call, browser, { place, view })
  // A page with a problem of its own is at another address, or another attempt.
  const kept = problemOf(view) ? null : readRefused(services, call, browser, place)
  const is_without_cookies = call.refused_before === 'no_cookies' && browser.form_seeds.length === 0
  if (!kept && !is_without_cookies) return page(view)
  const shown = page(kept ? { ...view, ...kept } : withoutCookies(view))
  return (shown instanceof Promise ? shown.then(recorded) : recorded(shown)) as R // as: of the same kind as the page
}

/** The page of a form whose refusal is recorded already, at its POST. */
export const recorded = (answer: Answer): Answer => ({ ...answer, is_recorded: true })

/** A browser that takes no cookies learns it by the address alone. */
function withoutCookies<V extends ShownAgain>(view: V): V {
  if ('problems' in view) return { ...view, problems: { ...(view.problems as object), form: 'no_cookies' } } // as: the problems of a form
  return { ...view, problem: 'no_cookies' }
}

/** The mark before the query of the page in the address, for facts that no cookie can carry. */
const in_query = /^refused=(no_cookies|page)(?:&|$)/
export type RefusedBefore = 'no_cookies' | 'page'

/** Reads the address of a page: what a form was refused for before, and the query without it. */
export function readRefusedBefore(query: string): { refused_before: RefusedBefore | null; query: string } {
  const [own = '', word = null] = in_query.exec(query) ?? []
  return { refused_before: word as RefusedBefore | null, query: query.slice(own.length) } // as: the words of the pattern
}

/** The address of a page beside the page of a step. */
export function withRefusedBefore(address: string, word: RefusedBefore): string {
  const [path = '', query = ''] = address.split(/\?(.*)/s, 2)
  return `${path}?refused=${word}${query && `&${query}`}`
}

/** Leads a form to the address of its step. */
export function leadTo(
  services: Services,
  call: OidcCall,
  browser: Seeds,
  { place, view }: { place: StepPlace; view: ShownAgain },
): Answer {
  const { seed, set_cookie } = formSeed(services, call, browser)
  const address =
    browser.form_seeds.length === 0 && place.name !== page_step ? withRefusedBefore(place.address, 'no_cookies') : place.address
  const passes = typeof view.wait_seconds === 'number' || passing.has(problemOf(view))
  return {
    ...withCookies(redirect(address), [...set_cookie, ...keep(services, call, seed, { place, view })]),
    step: passes ? 'passing' : 'refused',
  }
}

/** Limits and failures end by themselves, so a second press is a new one. */
const passing: ReadonlySet<unknown> = new Set(['busy', 'too_many', 'too_often', 'locked', 'limited', 'too_many_changes'])
const problemOf = ({ problem, problems }: ShownAgain): unknown => problem ?? (problems as { form?: unknown } | undefined)?.form // as: of sign-up

const page_step = 'page'

/** Leads a form to a page beside the steps, such as one that says that a session has ended. `address` is where the person goes on. */
export const leadToPage = (
  services: Services,
  call: OidcCall,
  browser: Seeds,
  { address, view }: { address: string; view: ShownAgain },
): Answer => leadTo(services, call, browser, { place: placeOfPage(withRefusedBefore(address, 'page')), view })

/** Returns the values that `leadToPage` keeps for this address; `null` after they expired. */
export const pageOf = (services: Services, call: OidcCall, browser: Seeds): ShownAgain | null =>
  readRefused(services, call, browser, placeOfPage(`${call.issuer.url}?refused=page&${call.query}`))

const placeOfPage = (address: string): StepPlace => ({
  name: page_step,
  query: readRefusedBefore(address.split(/\?(.*)/s, 2)[1] ?? '').query,
  address,
})

/** The request without what its address leaves out, and in one encoding. */
function sameRequest(query: string): string {
  const search = copyOf(query)
  for (const name of ['ui_locales', 'visit', 'signed_in_since']) search.delete(name)
  return search.toString()
}

const tagOf = ({ name, query }: StepPlace): string => digestOf(JSON.stringify([name, sameRequest(query)])).slice(0, 16)

/** The parameters that no step of a sign-in changes. */
const lasting = ['client_id', 'redirect_uri', 'state', 'nonce', 'code_challenge', 'token', 'visit'] as const

function groupOf({ form }: Pick<OidcCall, 'form'>): string {
  const request = form?.get('request') ?? ''
  const search = readQuery(request)
  const token = form?.get('token') ?? null
  const parts = request === '' ? (token === null ? { visit: 'account' } : { token }) : null
  const values = lasting.map((name) => (parts ? ((parts as Record<string, string>)[name] ?? null) : search.get(name))) // as: some of the names
  return digestOf(JSON.stringify(values)).slice(0, 12)
}

/** The cookies of refused forms that the browser sent, the oldest first. */
function refusedCookies(call: Pick<OidcCall, 'issuer' | 'headers'>): { id: string; value: string }[] {
  const beginning = cookieName(call, { refused: '' })
  return [...cookiesOf(call)]
    .filter(([name, value]) => name.startsWith(beginning) && /^[0-9a-f]{28}$/.test(name.slice(beginning.length)) && value !== '')
    .map(([name, value]) => ({ id: name.slice(beginning.length), value }))
    .sort((a, b) => timeOf(a.value) - timeOf(b.value))
    .slice(-2 * most.cookies)
}

/** The beginning of a value is the time, by which the oldest is found without opening any. */
const timeOf = (value: string): number => Number.parseInt(value.split('.', 1)[0] ?? '', 36) || 0

const keyOf = ({ secrets }: Pick<Deployment, 'secrets'>, { issuer }: Pick<OidcCall, 'issuer'>, seed: string): Buffer =>
  secrets.mac('key of a refused form', JSON.stringify([issuer.environment_id, seed]))

function keep(services: Services, call: OidcCall, seed: string, { place, view }: { place: StepPlace; view: ShownAgain }): string[] {
  const id = `${groupOf(call)}${tagOf(place)}`
  const others = refusedCookies(call).filter((one) => one.id !== id)
  const value = [view, withoutTyped(view)]
    .map((each) => seal(services, call, { seed, id }, each))
    .find((each) => sizeOf(call, id, each) <= most.bytes)
  if (value === undefined) return []
  let room = most.bytes - sizeOf(call, id, value)
  let places = most.cookies - 1
  const gone: string[] = []
  for (const one of others.reverse()) {
    const size = sizeOf(call, one.id, one.value)
    if (gone.length === 0 && places > 0 && size <= room) {
      room -= size
      places--
    } else gone.push(one.id)
  }
  return [...gone.map((other) => cookie(call, { refused: other }, '', 0)), cookie(call, { refused: id }, value, kept_seconds)]
}

const sizeOf = (call: OidcCall, id: string, value: string) => cookieName(call, { refused: id }).length + value.length

function seal(services: Services, call: OidcCall, { seed, id }: { seed: string; id: string }, view: ShownAgain): string {
  const shown = shown_again.flatMap((name) => (view[name] === undefined || isTooLong(view[name]) ? [] : [[name, view[name]] as const]))
  const plaintext = Buffer.from(JSON.stringify({ at: call.now.getTime(), view: Object.fromEntries(shown) }))
  const sealed = sealForBrowser(keyOf(services, call, seed), services.random(12), plaintext, `refused.${id}`)
  return `${call.now.getTime().toString(36)}.${sealed}`
}

const isTooLong = (value: unknown): boolean => typeof value === 'string' && value.length > longest_text

/** Where what was typed has no room, the page says what is wrong, with empty fields. */
const withoutTyped = ({ email: _email, name: _name, values: _values, typed: _typed, ...view }: ShownAgain): ShownAgain => view

/** Returns the values that the page of this step shows again; `null` if they expired or were sealed for another browser. */
export function readRefused(
  services: Pick<Deployment, 'secrets'>,
  call: OidcCall,
  { form_seeds }: Seeds,
  place: StepPlace,
): ShownAgain | null {
  const cookies = refusedCookies(call)
  if (cookies.length === 0) return null
  const tag = tagOf(place)
  for (const { id, value } of cookies.reverse()) {
    if (!id.endsWith(tag)) continue
    for (const { seed } of form_seeds) {
      const opened = openForBrowser(keyOf(services, call, seed), value.split('.')[1] ?? '', `refused.${id}`)
      if (!opened) continue
      const { at, view } = JSON.parse(opened.toString('utf8')) as { at: number; view: ShownAgain } // as: only this file seals it
      const passed = Math.floor((call.now.getTime() - at) / 1_000)
      if (passed < 0 || passed >= kept_seconds) return null
      return typeof view.wait_seconds === 'number' ? { ...view, wait_seconds: Math.max(1, view.wait_seconds - passed) } : view
    }
  }
  return null
}

/** The answer of a form. Where its step goes on, what was refused before is gone. */
export function goneOn(call: OidcCall, answer: Answer): Answer {
  if (answer.step !== undefined) return answer
  const cookies = refusedCookies(call)
  if (cookies.length === 0) return answer
  const group = groupOf(call)
  const over = cookies.filter(({ id }) => id.startsWith(group)).map(({ id }) => cookie(call, { refused: id }, '', 0))
  return withCookies(answer, over)
}
