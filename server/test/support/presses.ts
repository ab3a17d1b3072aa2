/** Buttons that are pressed twice: the same form is sent again, one after the other, at once, and through two processes (decision 0082). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { identifiers, sql } from '../../src/db/db.ts'
import { formFor } from './account.ts'
import { type Agent, createAgent, followRefused, formOf } from './cookie-browser.ts'
import { rowsFollowed } from './endings.ts'
import type { Reply, TestEnvironment, World } from './world.ts'

/** A form of a page, filled in. */
export interface Form {
  agent: Agent
  action: string
  fields: Record<string, string>
}

export const formOn = (agent: Agent, page: Reply, typed: Record<string, string> = {}): Form => {
  const { action, hidden } = formOf(page.body)
  return { agent, action, fields: { ...hidden, ...typed } }
}
export const buttonOn = (agent: Agent, page: Reply, name: string, typed: Record<string, string> = {}): Form => {
  const { action, fields } = formFor(page, name)
  return { agent, action, fields: { ...fields, ...typed } }
}

/** Sends the form as it is, through the second process where `at` is set. Both presses have the cookies from before. */
export function presser({ agent, action, fields }: Form) {
  const cookies = new Map(agent.cookies)
  return (at?: (url: string) => string): Promise<Reply> => {
    const hand = createAgent(at)
    for (const [name, value] of cookies) hand.cookies.set(name, value)
    return hand.postOnly(action, fields)
  }
}

/** Makes a form of a person of its own, ready to be sent. */
export interface Ready {
  at?: TestEnvironment
  /** Rows that one press makes or takes, of some tables. */
  effect?: Partial<Record<(typeof counted)[number] | 'attempts', number>>
  ready: () => Promise<Form>
}

const counted = [
  'users', 'sessions', 'trusted_browsers', 'grants', 'consents', 'events', 'half_sign_ins', 'mailed_codes', 'captured_mails', 'totp_methods', 'recovery_codes',
  'email_changes', 'upstream_sign_ins', 'organization_members', 'organization_role_holders', 'organization_invitations',
] as const // biome-ignore format: one list
const Count = z.object({ n: z.int() })

const difference = (before: Record<string, number>, after: Record<string, number>) =>
  Object.fromEntries(Object.entries(after).map(([name, n]) => [name, n - (before[name] ?? 0)]))

/** Returns the parts of an answer that the browser gets. */
export const given = ({ status, headers, body }: Reply) => ({
  status,
  location: headers.get('location'),
  body: body.replace(/<dt>Reference.*?<\/dd>/s, ''),
  cookies: headers.getSetCookie(),
})

const Kept = z.object({ sealed: z.string().nullable(), all: z.string() })
/** Of a field of a form, in characters. */
const shortest_secret = 6

export async function pressesOf(w: World) {
  const { db } = w.deployment
  /** Several processes need PostgreSQL. */
  const other = db.engine === 'postgres' ? await w.startAnotherService() : null

  async function countRows(environment: TestEnvironment): Promise<Record<string, number>> {
    await rowsFollowed(db)
    const counts: [string, number][] = []
    for (const table of counted) {
      const [row] = await db.all(Count, sql`select count(*) as n from ${identifiers(table)} where environment_id = ${environment.id}`)
      counts.push([table, row?.n ?? 0])
    }
    const [tries] = await db.all(Count, sql`select coalesce(sum(attempts), 0) as n from sign_in_attempts where environment_id = ${environment.id} and account <> 'spraying'`) // biome-ignore format: one line
    return { ...Object.fromEntries(counts), attempts: tries?.n ?? 0 }
  }

  const keptRows = () =>
    db.all(Kept, sql`select sealed, form_hash || browser_hash || source || coalesce(sealed, '') as "all" from kept_answers`)

  /** Each form of the table: pressed once, twice, at once, in two processes, and after a lost answer. */
  const testForms = (forms: Record<string, Ready>, environment: TestEnvironment) => {
    for (const [name, { at = environment, effect = {}, ready }] of Object.entries(forms)) {
      test(`${name}, pressed twice, has one effect and the answer of the first press`, async (t) => {
        const measured = async (send: (press: ReturnType<typeof presser>) => Promise<Reply[]>) => {
          const press = presser(await ready())
          const before = await countRows(at)
          const replies = await send(press)
          return { replies: replies.map(given), effect: difference(before, await countRows(at)) }
        }
        const once = await measured(async (press) => [await press()])
        assert.ok((once.replies[0]?.status ?? 500) < 429, JSON.stringify(once.replies[0]).slice(0, 500))
        assert.deepEqual({ ...once.effect, ...effect }, once.effect)

        const ways: Record<string, (press: ReturnType<typeof presser>) => Promise<Reply[]>> = {
          'one after the other': async (press) => [await press(), await press()],
          'at once': (press) => Promise.all([press(), press(), press()]),
          ...(other && {
            'one after the other in two processes': async (press) => [await press(), await press(other.at)],
            'at once in two processes': (press) => Promise.all([press(), press(other.at), press(), press(other.at)]),
          }),
        }
        for (const [way, send] of Object.entries(ways))
          await t.test(way, async () => {
            const twice = await measured(send)
            for (const reply of twice.replies) assert.deepEqual(reply, twice.replies[0])
            assert.deepEqual(twice.effect, once.effect)
            assert.equal(twice.replies[0]?.status, once.replies[0]?.status)
          })

        await t.test('after the process of the first press was killed before its answer', async () => {
          const form = await ready()
          const press = presser(form)
          const before = await countRows(at)
          await press()
          const typed = Object.values(form.fields).filter((value) => value.length >= shortest_secret)
          for (const { all } of await keptRows()) for (const text of typed) assert.ok(!all.includes(text), 'what is kept is not readable')
          // As the row is when the process ends between the effect and the answer.
          await db.run(sql`update kept_answers set sealed = null`)
          w.advance(16)
          const second = await followRefused(form.agent, await press())
          assert.equal(second.status, 409)
          assert.match(second.body, /Our answer to this form was lost.*What you asked for may have been done\./s)
          assert.match(second.body, /data-action="(continue|account)"/)
          assert.deepEqual(difference(before, await countRows(at)), once.effect)
        })
      })
    }
  }
  return { keptRows, testForms }
}
