/**
 * A button pressed twice ends as if it was pressed once (decision 0082). The first press of a form claims a row, and its answer is kept
 * for a minute; the same form from the same browser gets that answer and does nothing. A press that overlaps with the first waits
 * for its answer, in this process or another one. Where an answer was lost with its process, the page says so.
 *
 * The same form is one with the same fields, sent to the same address. Each page has a form token of its own, so a page that was loaded
 * again sends another form. The kept answer is sealed with the secret cookie of the browser, which the service does not store.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { createBoundedMap } from '../base/bounded-map.ts'
import { digestOf } from '../base/digest.ts'
import { reason } from '../base/reason.ts'
import { type Refusal, refusal } from '../base/refusal.ts'
import { sourceOf } from '../base/source.ts'
import { openForBrowser, sealForBrowser } from '../deployment/secrets/secrets.ts'
import { claimAnswer, findKept, keepAnswer, type PressId, releaseClaim } from '../domain/sessions/kept-answers.ts'
import { countStanding } from '../domain/sessions/sessions.ts'
import { accountUrl } from './account-url.ts'
import { readFormSeed, sessionCookieOf, sessionCookieSet, sessionsIn, withSessionsOf } from './browser.ts'
import { type Answer, asQuery, type OidcCall, type OidcEndpoint, type OidcServices } from './call.ts'
import { isOwnForm } from './form-token.ts'
import type { Entrance } from './hashing.ts'
import { messageAnswer, pageContext } from './hosted-page.ts'

/** A press of a button, as a later one recognises it. */
interface Press extends PressId {
  browser_hash: string
  /** Seals the answer. */
  key: Buffer
}

/**
 * The answer to the first press, and the sessions that the browser sent with it. `needs` are the sessions that have to live for the
 * answer to be given again; `of_browser` are those of them that the browser had already.
 */
interface Kept {
  answer: Answer
  had: string
  needs: string[]
  of_browser: string[]
}

/** A form of a hosted page. A press claims its row after the entrance, so a flood of forms costs little until each has its turn. */
interface Form {
  endpoint: OidcEndpoint
  entrance: Entrance
  /** The form can end a session of its browser itself. */
  may_end_sessions: boolean
}

const poll_ms = 50
/** A larger answer is not kept: in characters. */
const longest_body = 1_000_000
/**
 * Answers of an environment that one process keeps within a minute. More are given and not kept. A process hashes fewer passwords.
 */
const most_of_environment = 3_000

/** The address at which a request goes on. */
type ContinueUrl = (call: OidcCall, query: string) => string

/** Returns the function that answers each form of a hosted page. */
export function createRepeats(services: OidcServices, continueUrl: ContinueUrl) {
  /** The presses that this process works on or waits for. */
  const at_work = new Map<string, Promise<Kept>>()
  const mayKeep = createWindow()

  async function once(call: OidcCall, form: Form): Promise<Answer> {
    const { endpoint, entrance } = form
    const sent = sentOf(services, call)
    if (sent === null) return entrance(services, call, async (entered) => endpoint(services, entered))
    for (;;) {
      const first = at_work.get(sent)
      if (!first) break
      // A first press that failed, or that its browser broke off, leaves the work to the next one.
      const kept = await first.catch(() => null)
      if (kept) return again(call, kept)
    }
    const work = entrance(services, call, (entered) => answerOrAwait(entered, form, pressOf(services, call, sent)))
    const shared = work.then(({ kept }) => kept)
    shared.catch(() => {}) // who awaits `work` gets its error
    at_work.set(sent, shared)
    try {
      const { kept, is_first } = await work
      return is_first ? kept.answer : await again(call, kept)
    } finally {
      at_work.delete(sent)
    }
  }

  /** The answer for a later press: where a session of it has ended otherwise meanwhile, the page says no more than that it is lost. */
  async function again(call: OidcCall, { answer, had, needs, of_browser }: Kept): Promise<Answer> {
    const { environment_id } = call.issuer
    if ((await countStanding(services.db, environment_id, needs, call.now)) < needs.length) return lost(call, continueUrl, session_over)
    const has = sessionCookieOf(call)
    const present = has === had || of_browser.length === 0 ? of_browser : await sessionsIn(services, call, has)
    if (of_browser.some((id) => !present.includes(id))) return lost(call, continueUrl, session_over)
    return withSessionsOf(services, call, answer, had)
  }

  /** Answers the form, with the sessions that a later press needs. */
  async function answerAs(call: OidcCall, { endpoint, may_end_sessions }: Form): Promise<Kept> {
    const had = sessionCookieOf(call)
    const before = may_end_sessions ? [] : await sessionsIn(services, call, had)
    const answer = await endpoint(services, call)
    const of_browser = may_end_sessions ? await sessionsIn(services, call, had) : before
    const made = await sessionsIn(services, call, sessionCookieSet(call, answer))
    return { answer, had, needs: [...new Set([...of_browser, ...made])], of_browser }
  }

  async function answerOrAwait(call: OidcCall, form: Form, press: Press | null): Promise<{ kept: Kept; is_first: boolean }> {
    const had = sessionCookieOf(call)
    const first = (kept: Kept) => ({ kept, is_first: true })
    const alone = async () => first({ answer: await form.endpoint(services, call), had, needs: [], of_browser: [] })
    const later = (kept: Kept | null) =>
      kept ? { kept, is_first: false } : first({ answer: lost(call, continueUrl, answer_lost), had, needs: [], of_browser: [] })
    if (!press || !mayKeep(press.environment_id, call.now)) return alone()
    const from = { browser_hash: press.browser_hash, source: sourceOf(call.ip) }
    for (;;) {
      const now = services.now()
      const claimed_until = await claimAnswer(services.db, press, from, now)
      if (claimed_until) return first(await answerFirst(call, form, press, claimed_until))
      const row = await findKept(services.db, press, now)
      if (!row) return alone() // there are too many, or the first press has just failed
      if (row.sealed !== null) return later(openKept(press, row.sealed))
      if (row.claimed_until <= now) return later(null)
      call.queued?.() // another process works on it
      await wait(poll_ms)
    }
  }

  async function answerFirst(call: OidcCall, form: Form, press: Press, claimed_until: Date): Promise<Kept> {
    const release = () => services.db.of(call.issuer.environment_id).run(releaseClaim(press, claimed_until))
    let kept: Kept
    try {
      kept = await answerAs(call, form)
    } catch (error) {
      await release().catch(() => {}) // the error of the endpoint says more
      throw error
    }
    try {
      if (isKept(kept.answer))
        await services.db.of(call.issuer.environment_id).run(keepAnswer(press, claimed_until, sealKept(services, press, kept)))
      else await release()
    } catch (error) {
      services.log.warn('An answer could not be kept for a second press.', { request_id: call.request_id }, error)
    }
    return kept
  }

  return once
}

/** A limit that ends, or a failure, is not an answer for a later press. */
const isKept = ({ status, body, step }: Answer): boolean =>
  status < 500 && status !== 429 && step !== 'passing' && body.length <= longest_body

/** A form with the secret of its browser, as text. `null` for a browser without one. */
function sentOf(services: OidcServices, call: OidcCall): string | null {
  const form_seed = readFormSeed(services, call)
  if (form_seed === null || call.form === null) return null
  return JSON.stringify([call.issuer.environment_id, form_seed, call.url, digestOf(JSON.stringify([...call.form]))])
}

/** `null` for a form that is not one of this browser. */
function pressOf(services: OidcServices, call: OidcCall, sent: string): Press | null {
  const form_seed = readFormSeed(services, call)
  if (form_seed === null || !isOwnForm(services, call, { form_seed })) return null
  return {
    environment_id: call.issuer.environment_id,
    form_hash: services.secrets.mac('kept answer', sent).toString('base64url'),
    browser_hash: digestOf(form_seed),
    key: services.secrets.mac('key of a kept answer', sent),
  }
}

const purposeOf = ({ form_hash }: Press) => `kept_answers.${form_hash}`

function sealKept(services: OidcServices, press: Press, kept: Kept): string {
  return sealForBrowser(press.key, services.random(12), deflateRawSync(JSON.stringify(kept)), purposeOf(press))
}

function openKept(press: Press, sealed: string): Kept | null {
  const bytes = openForBrowser(press.key, sealed, purposeOf(press))
  return bytes && (JSON.parse(inflateRawSync(bytes).toString('utf8')) as Kept) // as: only this file seals it
}

/** True for the first answers of an environment within a minute. */
function createWindow() {
  const counted = createBoundedMap<string, { minute: number; answers: number }>(5_000)
  return (environment_id: string, now: Date): boolean => {
    const minute = Math.floor(now.getTime() / 60_000)
    const before = counted.get(environment_id)
    const answers = before?.minute === minute ? before.answers + 1 : 1
    counted.set(environment_id, { minute, answers })
    return answers <= most_of_environment
  }
}

/** Says that the answer is lost, and leads to the page of the step as it is now. */
function lost(call: OidcCall, continueUrl: ContinueUrl, why: Refusal): Answer {
  const query = asQuery(call.form?.get('request') ?? '')
  return messageAnswer(
    pageContext(call),
    {
      kind: 'answer_lost',
      request_id: call.request_id,
      account_url: accountUrl(call),
      home_url: null,
      reason: null,
      continue_url: query ? continueUrl(call, query) : null,
    },
    why,
  )
}

const answer_lost = refusal('form_expired', reason`The form was sent before, and its answer was lost before it could be given.`)
const session_over = refusal(
  'form_expired',
  reason`The form was sent before, and a session of its answer has ended or left the browser since.`,
)
