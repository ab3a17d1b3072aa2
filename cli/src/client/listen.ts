/**
 * `ostiary webhooks listen --forward URL`: posts the events of an environment to a receiver that the service cannot reach, such as one
 * on the developer's machine, signed like webhooks. The cursor is kept in a file and moves only after a 2xx answer, so a listener that
 * was killed goes on with the first event that was not accepted: each event arrives at least once, in order.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { lockFile } from '@ostiary/server/db/sqlite/file-lock.ts'
import { makeWebhookSecret, signedHeaders } from '@ostiary/server/domain/webhooks/sign.ts'
import { z } from 'zod'
import type { Written } from '../arguments.ts'
import { UsageError } from '../usage.ts'
import type { ClientCommand } from './derive.ts'
import { type FollowedEvent, followEvents, newestSequence, pause } from './follow.ts'
import type { Io } from './io.ts'
import { makeFolder, readPrivate, writePrivate } from './profiles.ts'
import { Refused } from './refused.ts'
import { textOf } from './run-command.ts'
import { visible } from './show.ts'
import { begin } from './tail.ts'

const Cursor = z.object({ environment_id: z.string(), forward: z.string(), secret: z.string(), sequence: z.int() })
type Cursor = z.infer<typeof Cursor>

/** As for webhooks. */
const answer_timeout_ms = 15_000
const first_wait_ms = 1_000
const longest_wait_ms = 30_000

export async function listen(io: Io, command: ClientCommand, written: Written): Promise<number> {
  const forward = readForward(textOf(written, 'forward'))
  const { connection, row, request } = await begin(io, command, written, [])
  const environment_id = String(request.params.environment_id)
  const folder = join(io.folder, 'listen')
  const name = `${environment_id}-${createHash('sha256').update(forward).digest('hex').slice(0, 16)}`
  makeFolder(io.folder)
  makeFolder(folder)
  const lock = lockFile(join(folder, `${name}.lock`))
  if (lock === null) throw new Refused('Another "webhooks listen" forwards the events of this environment to this address.')
  try {
    const file = join(folder, `${name}.json`)
    const newest = await newestSequence(connection, row, request)
    const cursor = startingPoint(io, readPrivate(file, Cursor), { environment_id, forward, newest }, written)
    writePrivate(file, cursor)
    io.err(
      `Events after ${cursor.sequence} go to ${visible(forward)}. Ctrl-C stops.\nThe secret of the signatures, for this listener only: ${cursor.secret}\n`,
    )
    const kinds = (written.values.get('events') ?? []) as readonly string[] // as: the option is a list of texts
    for await (const event of followEvents(io, connection, row, { ...request, after: cursor.sequence })) {
      const first_missing = cursor.sequence + 1
      if (event.sequence > first_missing) io.err(`The service no longer keeps the events ${first_missing} to ${event.sequence - 1}.\n`)
      const is_wanted = kinds.length === 0 || kinds.includes(String(event.type))
      if (is_wanted && !(await deliver(io, event, cursor))) break
      cursor.sequence = event.sequence
      writePrivate(file, cursor)
    }
    return 0
  } finally {
    lock.release()
  }
}

function readForward(text: string | null): string {
  if (text !== null && URL.canParse(text) && /^https?:\/\/[^@]*$/i.test(text)) return new URL(text).href
  throw new UsageError('--forward takes the address of the receiver, such as http://localhost:8080/webhooks.')
}

/** The kept cursor, unless the caller names another one. The first time it begins with the next event. */
function startingPoint(
  io: Io,
  kept: Cursor | null,
  { newest, ...place }: Omit<Cursor, 'secret' | 'sequence'> & { newest: number },
  { values }: Written,
): Cursor {
  const after = values.get('after')
  const secret = kept?.secret ?? makeWebhookSecret(io.random(32))
  if (typeof after === 'number') return { ...place, secret, sequence: after }
  if (kept !== null && kept.sequence > newest) {
    io.err(
      `The kept cursor is ${kept.sequence}, and the newest event is ${newest}: the service has other data. Beginning with the next event.\n`,
    )
    return { ...place, secret, sequence: newest }
  }
  return { ...place, secret, sequence: kept?.sequence ?? newest }
}

/** Repeats one event until the receiver accepts it. `false` after Ctrl-C. */
async function deliver(io: Io, event: FollowedEvent, { forward, secret }: Cursor): Promise<boolean> {
  const body = JSON.stringify(event)
  const message_id = event.id.replace(/^evt_/, 'msg_') // the same in every attempt, so that a receiver recognises a repetition
  for (let wait_ms = first_wait_ms; !io.signal.aborted; wait_ms = Math.min(wait_ms * 2, longest_wait_ms)) {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Ostiary-Webhooks/1',
      ...signedHeaders(message_id, body, [secret], io.now()),
    }
    const outcome = await post(io, forward, headers, body)
    if (io.signal.aborted) return false
    const is_accepted = typeof outcome === 'number' && outcome >= 200 && outcome < 300
    io.out(`${event.sequence}  ${visible(String(event.type))}  ${event.id}  ${outcome}\n`)
    if (is_accepted) return true
    io.err(`The receiver did not accept it. Trying again in ${wait_ms / 1000} s.\n`)
    await pause(io, wait_ms)
  }
  return false
}

async function post(io: Io, url: string, headers: Record<string, string>, body: string): Promise<number | 'no answer'> {
  try {
    const signal = AbortSignal.any([io.signal, AbortSignal.timeout(answer_timeout_ms)])
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.body?.cancel()
    return response.status
  } catch {
    return 'no answer' // refused, broken or too late; all are repeated
  }
}
