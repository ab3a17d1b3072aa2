/**
 * Sign-ins in a rush, and beside an attacker (docs/decisions/0069). A rush of 64 people signs in at once, from 64 sources and from one.
 * Then one source sends 200 wrong passwords at once, again and again with another address, while a person signs in from a neighbouring
 * address. The same sign-ins are measured in between, without the attacker.
 */
import { join } from 'node:path'
import { type Connection, isRefusedForm, openConnection } from './connection.ts'
import { type Ground, root } from './contestants.ts'
import { percentile } from './load.ts'
import { newMasterKey, type Seeded, seedOstiary, signInRequests, startOstiary } from './ostiary.ts'

const people = 64
const wrong_passwords = 200
const quiet_sign_ins = 40
/** Each round has another attacker, since a source may send 100 wrong passwords in a quarter of an hour. */
let attackers = 0

export async function surveyGuessing({ folder, core, freshDatabase }: Ground, rounds: number, progress: (text: string) => void) {
  const on = async (name: string, database_url: string | null) => {
    const checkout = { root, folder: join(folder, `guessing-${name}`), database_url, env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.1,::1' } }
    const master_key = newMasterKey()
    const started = await startOstiary({ ...checkout, core }, master_key)
    const seeded = await seedOstiary(root, started, people)
    progress(`a rush of ${people}, ${name}`)
    const rush_of_many = await rush(seeded, (i) => `198.51.100.${i + 1}`)
    const rush_of_one = await rush(seeded, () => '198.51.100.200')
    const begun = (cores: string) => (round: number) => progress(`guesses, ${name}, ${cores}, round ${round + 1} of ${rounds}`)
    const on_one_core = await besideGuesses(seeded, rounds, begun('one core'))
    await started.process.stop()
    const again = await startOstiary({ ...checkout, core: null, port: started.address.port }, master_key)
    const on_all_cores = await besideGuesses(seeded, rounds, begun('all cores'))
    await again.process.stop()
    return { rush_of_many, rush_of_one, on_one_core, on_all_cores }
  }
  return { embedded: await on('embedded', null), postgres: freshDatabase ? await on('postgres', await freshDatabase()) : null }
}

/** A request with the address of its source, as a proxy adds it. */
const from = (asked: string, source: string) => asked.replace('\r\n', `\r\nx-forwarded-for: ${source}\r\n`)

async function timed(connection: Connection, asked: string): Promise<{ status: number; ms: number }> {
  const at = performance.now()
  const answer = await connection.send(asked)
  const status = isRefusedForm(answer) ? 400 : answer.status
  return { status, ms: performance.now() - at }
}

/** Everybody signs in at once. */
async function rush(seeded: Seeded, sourceOf: (i: number) => string) {
  const asked = await Promise.all(seeded.people.map((person) => signInRequests(seeded, person)))
  const connections = await Promise.all(asked.map(() => openConnection(seeded.address)))
  const answers = await Promise.all(connections.map((connection, i) => timed(connection, from(asked[i]?.() ?? '', sourceOf(i)))))
  for (const connection of connections) connection.close()
  return { signed_in: answers.filter(({ status }) => status === 303).length, last_ms: Math.max(...answers.map(({ ms }) => ms)) }
}

async function besideGuesses(seeded: Seeded, rounds: number, begun: (round: number) => void) {
  const mine = await Promise.all(seeded.people.map((person) => signInRequests(seeded, person)))
  const guesses = await Promise.all(
    Array.from({ length: wrong_passwords }, (_, i) => signInRequests(seeded, { email: `nobody${i}@example.com`, password: 'wrong' })),
  )
  const connection = await openConnection(seeded.address)
  let turn = 0
  const signIn = async () => {
    const { status, ms } = await timed(connection, from(mine[turn++ % mine.length]?.() ?? '', '203.0.113.250'))
    if (status !== 303) throw new Error(`A sign-in beside the guesses was answered with ${status}.`)
    return ms
  }
  const quiet: number[] = []
  const attacked: number[] = []
  const of_attacker = new Map<number, number>()
  for (let round = 0; round < rounds; round++) {
    begun(round)
    attackers += 1
    const source = `203.0.113.${attackers}`
    for (let i = 0; i < quiet_sign_ins; i++) quiet.push(await signIn())
    const connections = await Promise.all(guesses.map(() => openConnection(seeded.address)))
    let left = guesses.length
    const answered = connections.map(async (each, i) => {
      const { status } = await timed(each, from(guesses[i]?.() ?? '', source))
      of_attacker.set(status, (of_attacker.get(status) ?? 0) + 1)
      left--
    })
    while (left > 0) attacked.push(await signIn())
    await Promise.all(answered)
    for (const each of connections) each.close()
  }
  connection.close()
  const figures = (ms: number[]) => {
    const sorted = ms.toSorted((a, b) => a - b)
    return { sign_ins: ms.length, p50_ms: percentile(sorted, 0.5), p99_ms: percentile(sorted, 0.99) }
  }
  const [quietly, beside] = [figures(quiet), figures(attacked)]
  return { quiet: quietly, attacked: beside, p99_ratio: beside.p99_ms / quietly.p99_ms, of_attacker: Object.fromEntries(of_attacker) }
}
