/**
 * Whether the time of an answer reveals that an account exists, that it waits for an approval or was refused, or that the domain of an
 * address is blocked. Pairs of requests, one for such an address and one for an ordinary one without an account, follow each other in
 * changing order; each pair comes from another network. The AUC is the probability that the answer for the
 * account takes longer: 0.5 reveals nothing. Mail goes to a server on this machine.
 */
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDb, sql } from '../server/src/db/db.ts'
import { openPostgres } from '../server/src/db/postgres/postgres.ts'
import { openSqlite } from '../server/src/db/sqlite/sqlite.ts'
import { freePort } from '../server/test/support/free-port.ts'
import { formOf } from './browser.ts'
import { type Address, type Answer, cookiesOf, expectStatus, openConnection, request } from './connection.ts'
import { type Ground, root } from './contestants.ts'
import { median } from './load.ts'
import { newMasterKey, type Seeded, seedOstiary, startOstiary } from './ostiary.ts'
import { authorization } from './provider.ts'

/** Below every limit: an address may be tried five times for each kind of request, and get fifteen mails in an hour. */
const rounds = 5
/** The mail of one request is sent before the next one. */
const pause_ms = 10
const warm_up = 30

/** `imported` is an account with a hash of another system, one of two kinds. */
type State = 'waiting' | 'refused' | 'imported'

interface Kind {
  /** The setting `sign_up.mode`: where it is not closed, an unknown address gets real mail. */
  sign_up: 'open' | 'approval' | 'closed'
  /** What is known of the address: an account, which can be in a state, or a domain that is blocked. An account if not set. */
  known?: State | 'blocked domain'
  /** The address that leads to the form: another page, or another parameter. */
  path: string
  status: number
  fields: Record<string, string>
}

const sentence = 'a wrong but long sentence'
const kinds: Record<string, Kind> = {
  'password sign-in': { sign_up: 'closed', path: '', status: 303, fields: { password: sentence, method: 'password' } },
  'emailed code': { sign_up: 'closed', path: '', status: 200, fields: { password: '', method: 'email_code' } },
  reset: { sign_up: 'closed', path: '/forgot-password', status: 200, fields: {} },
  'sign-up': { sign_up: 'open', path: '?prompt=create', status: 200, fields: { name: '', password: sentence } },
  ...ofStates(['waiting', 'refused']),
  'sign-up, blocked domain': {
    sign_up: 'open',
    known: 'blocked domain',
    path: '?prompt=create',
    status: 200,
    fields: { name: '', password: sentence },
  },
  'emailed code, blocked domain': {
    sign_up: 'open',
    known: 'blocked domain',
    path: '',
    status: 200,
    fields: { password: '', method: 'email_code' },
  },
  'password sign-in, imported': {
    sign_up: 'closed',
    known: 'imported',
    path: '',
    status: 303,
    fields: { password: sentence, method: 'password' },
  },
}

/** The same forms, where each account is in this state. */
function ofStates(states: readonly ('waiting' | 'refused')[]): Record<string, Kind> {
  const forms = {
    'password sign-in': { path: '', status: 303, fields: { password: sentence, method: 'password' } },
    'emailed code': { path: '', status: 200, fields: { password: '', method: 'email_code' } },
    reset: { path: '/forgot-password', status: 200, fields: {} },
    'sign-up': { path: '?prompt=create', status: 200, fields: { name: '', password: sentence } },
  }
  const named = states.flatMap((known) =>
    Object.entries(forms).map(([form, how]): [string, Kind] => [`${form}, ${known}`, { ...how, sign_up: 'approval', known }]),
  )
  return Object.fromEntries(named)
}

const blocked_domain = 'blocked.example'

interface Timing {
  auc: number
  known_p50_ms: number
  unknown_p50_ms: number
}

/** Measures each kind of request with `pairs` pairs, on each engine. */
export async function surveyTiming({ folder, core, freshDatabase }: Ground, pairs: number, progress: (text: string) => void) {
  const mail = await startMailSink()
  const on = async (name: string, database_url: string | null) => {
    const env = { OSTIARY_TRUSTED_PROXIES: '127.0.0.1,::1', OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }
    const checkout = { root, folder: join(folder, `timing-${name}`), database_url, core, env }
    const master_key = newMasterKey()
    let started = await startOstiary(checkout, master_key)
    const accounts = Math.ceil(pairs / rounds)
    const seeded = await seedOstiary(root, started, accounts)
    const email = { delivery: 'smtp', from: 'shop@example.com', smtp: { host: '127.0.0.1', port: mail.port, tls: 'none' } }
    await changeSettings(seeded, { email })
    await changeSettings(seeded, { sign_in: { email_code: true } })
    const result: Record<string, Timing> = {}
    let state: Kind['known']
    for (const [kind, how] of Object.entries(kinds)) {
      progress(`timing of ${kind}, ${name}`)
      if (how.known !== state && how.known !== undefined && how.known !== 'blocked domain') {
        await started.process.stop()
        await putInState(checkout, how.known)
        started = await startOstiary({ ...checkout, port: started.address.port }, master_key)
        state = how.known
      }
      await changeSettings(seeded, { sign_up: { mode: how.sign_up, blocked_domains: [blocked_domain] } })
      const measured = await timing(seeded, how, { pairs, accounts })
      progress(`AUC ${measured.auc.toFixed(3)}`)
      result[kind] = measured
    }
    await started.process.stop()
    return result
  }
  const embedded = await on('embedded', null)
  const postgres = freshDatabase ? await on('postgres', await freshDatabase()) : null
  mail.close()
  return { pairs, embedded, postgres, mails: mail.accepted() }
}

const imported = {
  bcrypt: 'foreign:$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
  pbkdf2: 'foreign:$pbkdf2-sha256$i=150000$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
}

/** Only a sign-up whose mail is read makes an account that waits, so the rows are written while the service is stopped. */
async function putInState({ folder, database_url }: { folder: string; database_url: string | null }, state: State) {
  const db = createDb(database_url === null ? openSqlite(join(folder, 'ostiary.db')) : openPostgres(database_url))
  const at = new Date()
  const erase_at = new Date(at.getTime() + 86_400_000)
  const change =
    state === 'imported'
      ? sql`approval = null, erase_at = null, password_hash = case when substr(id, 30, 1) < 'g' then ${imported.bcrypt} else ${imported.pbkdf2} end`
      : sql`approval = ${{ state, at: at.toISOString() }}, erase_at = ${erase_at}`
  await db.run(sql`update users set ${change}
    where environment_id <> (select environment_id from users order by created_at, id limit 1)`)
  await db.close()
}

async function timing(seeded: Seeded, kind: Kind, { pairs, accounts }: { pairs: number; accounts: number }): Promise<Timing> {
  const connection = await openConnection(seeded.address)
  const times = { known: [] as number[], unknown: [] as number[] }
  let form = await openForm(seeded, kind)
  async function ask(email: string, source: string): Promise<number> {
    const asked = form({ ...kind.fields, email }, source)
    const at = performance.now()
    const answer = await connection.send(asked)
    const took = performance.now() - at
    expectStatus(kind.status, answer)
    await sleep(pause_ms)
    return took
  }
  for (let i = 0; i < warm_up; i++) await ask(`warm-up${i}@example.com`, `198.19.0.${i}`)
  for (let pair = 0; pair < pairs; pair++) {
    if (pair % accounts === 0) form = await openForm(seeded, kind) // another browser, since a browser may ask again only after 30 s
    const order = pair % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)
    const source = `198.18.${pair >> 8}.${pair & 255}`
    for (const who of order) {
      const number = pair % accounts
      const known = kind.known === 'blocked domain' ? `nobody${number}@${blocked_domain}` : (seeded.people[number]?.email ?? '')
      const email = who === 'known' ? known : `nobody${number}@example.com`
      times[who].push(await ask(email, source))
    }
  }
  connection.close()
  return { auc: areaUnderCurve(times.known, times.unknown), known_p50_ms: median(times.known), unknown_p50_ms: median(times.unknown) }
}

/** Opens the page of a kind in a new browser. Returns how its form is sent. */
async function openForm({ address, issuer, ...seeded }: Seeded, { path }: Kind) {
  const { pathname, search } = new URL(authorization({ address, issuer, ...seeded }, {}).path, issuer)
  const at = new URL(issuer).pathname
  const page_path = path.startsWith('/') ? `${at}${path}${search}` : `${pathname}${search}${path.replace('?', '&')}`
  const page = await getOnce(address, page_path)
  const { action, hidden } = formOf(page.body)
  const headers = { cookie: cookiesOf(page).join('; '), 'content-type': 'application/x-www-form-urlencoded' }
  const post_path = new URL(action, issuer).pathname
  return (fields: Record<string, string>, source: string) => {
    const body = new URLSearchParams({ ...hidden, ...fields }).toString()
    return request(address, 'POST', post_path, { headers: { ...headers, 'x-forwarded-for': source }, body })
  }
}

async function getOnce(address: Address, path: string): Promise<Answer> {
  const connection = await openConnection(address)
  const answer = expectStatus(200, await connection.send(request(address, 'GET', path)))
  connection.close()
  return answer
}

async function changeSettings({ address, issuer, platform_key, project_id }: Seeded, change: object): Promise<void> {
  const connection = await openConnection(address)
  const path = `/v1/platform/projects/${project_id}/environments/${new URL(issuer).pathname.split('/').at(-1)}/settings`
  const headers = { 'x-api-key': platform_key, 'content-type': 'application/json' }
  expectStatus(200, await connection.send(request(address, 'PATCH', path, { headers, body: JSON.stringify(change) })))
  connection.close()
}

/** A mail server that accepts everything and keeps nothing. */
async function startMailSink() {
  const port = await freePort()
  let accepted = 0
  const server = createServer((socket) => {
    let is_data = false
    let rest = ''
    const say = (text: string) => socket.write(`${text}\r\n`)
    say('220 sink')
    socket.on('error', () => {}) // the service may break off
    socket.on('data', (chunk) => {
      const lines = `${rest}${chunk.toString('latin1')}`.split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (is_data) {
          if (line !== '.') continue
          is_data = false
          accepted++
          say('250 accepted')
        } else if (/^DATA/i.test(line)) {
          is_data = true
          say('354 go on')
        } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
        else say('250 fine')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { port, accepted: () => accepted, close: () => server.close() }
}

/** The probability that a value of the first list is above one of the second; equal ones count half. */
function areaUnderCurve(first: readonly number[], second: readonly number[]): number {
  let above = 0
  for (const a of first) for (const b of second) above += a > b ? 1 : a === b ? 0.5 : 0
  return above / (first.length * second.length)
}
