/**
 * Delivers queued mail to the mail server of its environment, with the settings of the moment. A mail is tried until it is accepted,
 * refused for good, or useless because what it carries has ended. The server gets it twice only if it broke off after accepting it, or
 * if this process ended at that moment; both copies have the same Message-ID.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { type MailFailure, MailKind } from '@ostiary/contract/mail.ts'
import { senderOf } from '@ostiary/contract/values.ts'
import { z } from 'zod'
import type { EmailSettings } from '../../base/mail-settings.ts'
import { type Statement, sql } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { reasonOfFailure } from '../../deployment/outbound/mail-failure.ts'
import type { Message } from '../../deployment/outbound/mime.ts'
import type { Delivered, MailServer } from '../../deployment/outbound/smtp.ts'
import { sealed_columns } from '../../deployment/secrets/sealed-columns.ts'
import type { Job } from '../queue/queue.ts'
import type { JobKind, Outcome } from '../queue/runner.ts'
import { effectiveSettings } from '../tenancy/settings.ts'
import type { Composed } from './compose.ts'
import { capture, mailEvent, mailOrigin } from './send.ts'
import { findQueuedMail, findSender, noteFirstFailure, type QueuedMail, removeMail } from './store.ts'

/** Quick at first, since a person waits for a code; later every hour, for mail that lives for days. */
const retry_after_seconds = [5, 15, 30, 60, 120, 120, 120, 120, 300, 600, 1_800, ...Array<number>(170).fill(3_600)]
/** An attempt may come this much earlier than its schedule; see `domain/queue/schedule.ts`. */
const earliest_part = 0.8
/** RFC 5321 §4.5.3.2.6: a server may take long to accept a message. Breaking off then would send it twice. */
const reply_timeout_ms = 120_000

const Payload = z.object({ mail_id: z.string(), kind: MailKind, user_id: z.string().nullable(), request_id: z.string().nullable() })

export function createMailJobs(deployment: Deployment): JobKind {
  /** Mails that a server accepted and whose removal failed. They are not sent again. */
  const accepted = new Map<string, Delivered>()
  return {
    name: 'mail',
    urlOf: async (_, lane) => `smtp://${lane}`, // the shares count the mail server of an environment, whatever its address
    retry_after_seconds,
    concurrency: 60,
    per_lane: 5,
    per_receiver: 5,
    lease_seconds: 180,
    givenUp: ({ environment_id, payload, attempts }, now) => {
      const { mail_id: id, ...about } = Payload.parse(payload)
      return environment_id === null
        ? []
        : [
            mailEvent(
              mailOrigin(deployment, about),
              { environment_id, id, ...about },
              { type: 'mail.failed', attempts: attempts - 1, stage: null, reply: null, reason: 'outlived', final: true },
              now,
            ),
            sql`delete from mails where environment_id = ${environment_id} and id = ${id}`,
          ]
    },
    run: (job, signal) => runJob(deployment, accepted, job, signal),
  }
}

async function runJob(deployment: Deployment, accepted: Map<string, Delivered>, job: Job, signal: AbortSignal): Promise<Outcome> {
  const { db, now } = deployment
  const { environment_id } = job
  const mail = environment_id && (await findQueuedMail(db, environment_id, Payload.parse(job.payload).mail_id))
  if (!mail) return 'done' // the mail was settled by another attempt
  const eventOf = (outcome: Parameters<typeof mailEvent>[2]) =>
    mailEvent(mailOrigin(deployment, mail), { environment_id, ...mail }, outcome, now())
  const end = (outcome: Parameters<typeof mailEvent>[2]): Outcome => ({
    done: [eventOf(outcome), removeMail(environment_id, mail.id)],
  })
  const giveUp = (reason: MailFailure, { stage, reply }: Partial<Delivered> = {}, attempts = job.attempts) =>
    end({ type: 'mail.failed', attempts, stage: stage ?? null, reply: reply ?? null, reason, final: true })

  const content = contentOf(deployment, environment_id, mail)
  if (content.is_decoy) return { done: [removeMail(environment_id, mail.id)] }
  if (mail.expires_at <= now()) return giveUp('outlived', {}, job.attempts - 1)
  const sender = await findSender(db, environment_id)
  const email = sender && effectiveSettings(sender.type, sender.settings).email
  if (email?.delivery === 'capture') {
    const { done } = end({ type: 'mail.sent', attempts: job.attempts }) as { done: readonly Statement[] } // as: made above
    return { done: [...capture(environment_id, { ...mail, to: content.to, composed: content }, now()), ...done] }
  }
  const server = email && serverOf(deployment, environment_id, email)
  if (!email || !server) return giveUp('not_set_up')

  const message = messageOf(deployment, { id: mail.id, from: email.from }, content, now())
  const delivered = accepted.get(mail.id) ?? (await deployment.smtp({ server, message, signal, reply_timeout_ms }))
  if (signal.aborted && !delivered.accepted) return 'retry'
  if (delivered.accepted) {
    accepted.set(mail.id, delivered)
    if (accepted.size > most_accepted) accepted.delete([...accepted.keys()][0] ?? '')
    return end({ type: 'mail.sent', attempts: job.attempts })
  }
  const { stage, reply } = delivered
  deployment.log.warn('A mail was not delivered.', {
    environment_id,
    mail_id: mail.id,
    attempt: job.attempts,
    stage,
    reply,
    why: whyOf(delivered),
  })
  const reason = reasonOfFailure(delivered)
  if (delivered.permanent || !hasAnotherAttempt(job, mail, now())) return giveUp(reason, delivered)
  await db
    .of(environment_id)
    .batch([
      noteFirstFailure(environment_id, mail.id, now()),
      eventOf({ type: 'mail.failed', attempts: job.attempts, stage, reply, reason, final: false }),
    ])
  return 'retry'
}

const most_accepted = 1_000

/** Whether the next attempt may come before the mail is useless. */
function hasAnotherAttempt({ attempts }: Job, { expires_at }: QueuedMail, now: Date): boolean {
  const delay_seconds = retry_after_seconds[attempts - 1]
  return delay_seconds !== undefined && now.getTime() + delay_seconds * 1000 * earliest_part < expires_at.getTime()
}

type Content = Composed & { to: string; is_decoy?: boolean }

function contentOf({ secrets }: Pick<Deployment, 'secrets'>, environment_id: EnvironmentId, { id, sealed }: QueuedMail): Content {
  return JSON.parse(secrets.unseal(sealed, sealed_columns.mails.associatedData(environment_id, id))) as Content // as: `mailStatements` sealed it
}

/** The mail server of the settings, with its password; `null` without SMTP. */
export function serverOf(
  { secrets }: Pick<Deployment, 'secrets'>,
  environment_id: EnvironmentId,
  { delivery, from, smtp }: EmailSettings,
): MailServer | null {
  if (delivery !== 'smtp' || from === null || smtp === null) return null
  const { host, port, tls, username, password } = smtp
  const associated_data = sealed_columns.smtp_password.associatedData(environment_id)
  return { host, port, tls, username, password: password === undefined ? null : secrets.unseal(password, associated_data) }
}

/** RFC 5322 §3.6.4: the Message-ID is unique under a host of ours. */
export function messageOf(
  { config }: Pick<Deployment, 'config'>,
  { id, from }: Pick<EmailSettings, 'from'> & { id: string },
  { to, subject, text, html, language, code, link }: Content,
  date: Date,
): Message {
  const sender = senderOf(from ?? '')
  if (!sender) throw new Error('The settings have no sender.')
  const secrets = [code, link].filter((secret) => secret !== null)
  return { message_id: `${id}@${new URL(config.base_url).hostname}`, from: sender, to, date, subject, text, html, language, secrets }
}

/** The reason for the log. A reply of the server could repeat the mail, so only its shown form is logged. */
export function whyOf({ stage, cause }: Delivered): string | null {
  const is_ours = stage === 'dns' || stage === 'connect' || (stage === 'tls' && !(cause instanceof Error && 'response' in cause))
  return is_ours && cause instanceof Error ? cause.message.slice(0, 300) : null
}
