/**
 * Sign-ins beside an attacker who makes the service check hashes of other systems at the upper bounds of their costs (docs/decisions/0207). The
 * attacker has an environment whose users all have such hashes, and tries addresses without an account, each once, from many networks,
 * so no limit of attempts stops it. The same sign-ins are measured in between, without the attacker.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { longest_password_hash } from '../contract/src/password-algorithms.ts'
import { judgeForeignHash } from '../server/src/domain/users/foreign-hashes.ts'
import { costs, malformed } from '../server/test/support/foreign-hashes.ts'
import { type Connection, expectStatus, isRefusedForm, openConnection, request } from './connection.ts'
import { type Ground, root } from './contestants.ts'
import { median } from './load.ts'
import { onAllCores } from './machine.ts'
import { newMasterKey, type Seeded, seedEnvironment, seedOstiary, signInRequests, startOstiary } from './ostiary.ts'

const people = 20
const sign_ins_of_round = 60
const attackers = 8
/** Most tries are refused at once, since their turn would be too far away: an attack by hashes, not one by requests. */
const pause_ms = 100
const [salt, hash] = ['c2FsdHNhbHRzYWx0c2FsdA', 'aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g']

/** A hash of each kind that costs as much as is taken. */
const dearest: Readonly<Record<string, string>> = {
  bcrypt: '$2b$14$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
  argon2id: `$argon2id$v=19$m=131072,t=5,p=1$${salt}$${hash}`,
  'pbkdf2-sha512': `$pbkdf2-sha512$i=2000000$${salt}$${hash}`,
  scrypt: `$scrypt$ln=16,r=8,p=4$${salt}$${hash}`,
  'firebase-scrypt': `$fbscrypt$v=1,n=16,r=8,p=1,ss=Bw==,sk=${hash}=$${salt}==$${hash}=`,
}

export async function surveyForeignHashes({ folder, freshDatabase }: Ground, rounds: number, progress: (text: string) => void) {
  const on = async (name: string, database_url: string | null) => {
    const env = { OSTIARY_TRUSTED_PROXIES: '127.0.0.1,::1' }
    const checkout = { root, folder: join(folder, `foreign-${name}`), database_url, core: null, env }
    const started = await startOstiary(checkout, newMasterKey())
    const seeded = await seedOstiary(root, started, people)
    const attacked = await seedAttacked(seeded)
    const measured = await besideAttack(seeded, attacked, rounds, (round) =>
      progress(`foreign hashes, ${name}, round ${round + 1} of ${rounds}`),
    )
    await started.process.stop()
    return measured
  }
  const beside = await onAllCores(async () => ({
    embedded: await on('embedded', null),
    postgres: freshDatabase ? await on('postgres', await freshDatabase()) : null,
  }))
  return { longest_judging_ms: longestJudging(), beside }
}

/** How long the refusal of a hash takes, at most: of malformed ones, of those that cost too much, and of the longest texts of every form. */
function longestJudging(): number {
  const parts = malformed.flatMap(([, text]) => text.split(/(?<=[$:,=])/))
  const longest = [...new Set(parts)].flatMap((begin) =>
    ['A', '=', '$', ':', '1', 'a=', 'A$', '+/', '..', ',l=1'].map((filling) =>
      (begin + filling.repeat(1_000)).slice(0, longest_password_hash),
    ),
  )
  const texts = [...malformed.map(([, text]) => text), ...costs.map(([, beyond]) => beyond), ...longest]
  const took = texts.map((text) => {
    const at = performance.now()
    judgeForeignHash(text)
    return performance.now() - at
  })
  return Math.max(...took)
}

/** An environment of another project, where each user has one of the dearest hashes. */
async function seedAttacked({ address, platform_key, admin_issuer }: Seeded): Promise<Seeded> {
  const connection = await openConnection(address)
  /** Creates what a body describes, or reads. */
  const send = async (path: string, key: string, body?: object) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const asked = body
      ? request(address, 'POST', path, { headers, body: JSON.stringify(body) })
      : request(address, 'GET', path, { headers })
    return JSON.parse(expectStatus(body ? 201 : 200, await connection.send(asked)).body)
  }
  const project = await send('/v1/platform/projects', platform_key, { slug: 'attacked', name: 'Attacked' })
  const { data } = await send(`/v1/platform/projects/${project.id}/environments`, platform_key)
  const environment = data.find(({ type }: { type: string }) => type === 'test')
  const place = { platform_key, project_id: project.id, environment }
  const attacked = await seedEnvironment(address, place, { people: 0 })
  for (const [kind, password_hash] of Object.entries(dearest))
    await send('/v1/auth/users', attacked.secret_key, { email: `${kind}@example.com`, password_hash })
  connection.close()
  return { ...attacked, admin_issuer }
}

const from = (asked: string, source: string) => asked.replace('\r\n', `\r\nx-forwarded-for: ${source}\r\n`)

async function besideAttack(seeded: Seeded, attacked: Seeded, rounds: number, begun: (round: number) => void) {
  const mine = await Promise.all(seeded.people.map((person) => signInRequests(seeded, person)))
  const connection = await openConnection(seeded.address)
  let turn = 0
  const signIn = async () => {
    const at = performance.now()
    const answer = await connection.send(from(mine[turn++ % mine.length]?.() ?? '', '203.0.113.250'))
    if (answer.status !== 303 || isRefusedForm(answer))
      throw new Error(`A sign-in beside foreign hashes was answered with ${answer.status}.`)
    return performance.now() - at
  }
  const times: Record<'quiet' | 'attacked', number[]> = { quiet: [], attacked: [] }
  const of_attacker = new Map<number, number>()
  for (let round = 0; round < rounds; round++) {
    begun(round)
    for (let i = 0; i < sign_ins_of_round; i++) times.quiet.push(await signIn())
    const over = new AbortController()
    const attack = Promise.all(Array.from({ length: attackers }, () => attackUntil(attacked, over.signal, of_attacker)))
    for (let i = 0; i < sign_ins_of_round; i++) times.attacked.push(await signIn())
    over.abort()
    await attack
  }
  connection.close()
  const [quiet_p50_ms, attacked_p50_ms] = [median(times.quiet), median(times.attacked)]
  return { quiet_p50_ms, attacked_p50_ms, p50_ratio: attacked_p50_ms / quiet_p50_ms, of_attacker: Object.fromEntries(of_attacker) }
}

let tries = 0

/** Tries one address after another, each from a network of its own. */
async function attackUntil(attacked: Seeded, over: AbortSignal, answers: Map<number, number>): Promise<void> {
  const connection: Connection = await openConnection(attacked.address)
  while (!over.aborted) {
    const number = tries++
    const asked = await signInRequests(attacked, { email: `nobody${number}@example.com`, password: 'wrong' })
    const answer = await connection.send(from(asked(), `198.18.${(number >> 8) & 255}.${number & 255}`))
    const status = isRefusedForm(answer) ? 400 : answer.status
    answers.set(status, (answers.get(status) ?? 0) + 1)
    await sleep(pause_ms)
  }
  connection.close()
}
