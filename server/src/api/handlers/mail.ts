import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { mailExplanations } from '@ostiary/contract/outcome-words.ts'
import { emailKey } from '../../base/email.ts'
import { reasonOfFailure } from '../../deployment/outbound/mail-failure.ts'
import type { Delivered } from '../../deployment/outbound/smtp.ts'
import { readPage } from '../../domain/lists/lists.ts'
import { countMail, too_many_mails, waitOfAddress } from '../../domain/mail/address-limit.ts'
import { messageOf, serverOf, whyOf } from '../../domain/mail/deliver.ts'
import { capture, mailEvent, mailOrigin, type Prepared, prepareMail } from '../../domain/mail/send.ts'
import { findMail, listMails } from '../../domain/mail/store.ts'
import { found, notFound, rateLimited } from '../../http/problem.ts'
import type { RateLimitPolicy } from '../../http/rate-limit.ts'
import { environmentOf } from '../environment.ts'
import type { Call, Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const listInbox: Handler<'listInbox'> = async (services, call) => {
  const environment = await testEnvironmentOf(services, call)
  const { to } = call.query
  const now = services.now()
  const list = JSON.stringify(['inbox', environment.id, to === undefined ? null : emailKey(to)])
  return readPage(services, call, list, (rest) => listMails(services.db, environment.id, { to, now }, rest))
}

export const getInboxMail: Handler<'getInboxMail'> = async (services, call) => {
  const environment = await testEnvironmentOf(services, call)
  const mail = await found(findMail(services.db, environment.id, call.params.mail_id ?? '', services.now()))
  return { ...mail, version: 1 } // captured mail is immutable
}

const test_limit: RateLimitPolicy = { limit: 10, window_seconds: 3_600 }
/** The answer comes within 10 seconds, whatever the server does. */
const test_ms = 9_000

/** Sends one mail while the client waits, past the queue, and reports how far it got. */
export const testMail: Handler<'testMail'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  const prepared = await prepareMail(services, environment.id, { to: call.body.to, notice: { kind: 'test' } }, services.now())
  if (!prepared) return call.fail('mail_not_set_up', 'This environment sends no mail: email.delivery is none.')
  const taken = await services.limiter.take(`mail_test.${environment.id}`, test_limit)
  if (!taken.allowed)
    throw rateLimited(
      `The limit of this environment is ${test_limit.limit} test mails an hour. Try again in ${taken.retry_after_seconds} s.`,
      taken.retry_after_seconds,
    )
  if (prepared.email.delivery === 'smtp') await countTest(services, environment.id, prepared.to)
  const delivered = await sendNow(services, call.signal(), environment.id, prepared)
  const { accepted, stage, reply } = delivered
  const reason = reasonOfFailure(delivered)
  const about = { environment_id: environment.id, id: prepared.id, kind: prepared.kind, user_id: null }
  const at = services.now()
  const outcome = accepted
    ? ({ type: 'mail.sent', attempts: 1 } as const)
    : ({ type: 'mail.failed', attempts: 1, stage, reply, reason, final: true } as const)
  const statements = [
    ...(prepared.email.delivery === 'capture' ? capture(environment.id, prepared, at) : []),
    mailEvent(mailOrigin(services, call), about, outcome, at),
  ]
  const answer = { accepted, stage, reply, reason: accepted ? null : reason, detail: accepted ? null : mailExplanations[reason] }
  await call.commit({ statements, before: null, answer, object: { type: 'settings', id: environment.id } }, at)
  return answer
}

async function countTest(services: Services, environment_id: EnvironmentId, to: string): Promise<void> {
  const at = services.now()
  if (await services.db.of(environment_id).batch(await countMail(services, environment_id, { to }, at))) return
  const wait_seconds = await waitOfAddress(services, environment_id, { to }, at)
  throw rateLimited(too_many_mails, wait_seconds ?? 1)
}

async function sendNow(
  services: Services,
  signal: AbortSignal,
  environment_id: EnvironmentId,
  { id, email, composed, to }: Prepared,
): Promise<Pick<Delivered, 'accepted' | 'stage' | 'reply' | 'cause'>> {
  const server = serverOf(services, environment_id, email)
  if (!server) return { accepted: true, stage: 'data', reply: null } // captured
  const message = messageOf(services, { id, from: email.from }, { to, ...composed }, services.now())
  const ends = AbortSignal.any([signal, AbortSignal.timeout(test_ms)])
  const delivered = await services.smtp({ server, message, signal: ends, reply_timeout_ms: test_ms })
  if (!delivered.accepted)
    services.log.warn('A test mail was not delivered.', { environment_id, stage: delivered.stage, why: whyOf(delivered) })
  return delivered
}

/** Live captures no mail, so its inbox does not exist. */
async function testEnvironmentOf(services: Services, call: Pick<Call<'getInboxMail'>, 'caller' | 'params'>) {
  const environment = await environmentOf(services, call)
  if (environment.type !== 'test') throw notFound()
  return environment
}
