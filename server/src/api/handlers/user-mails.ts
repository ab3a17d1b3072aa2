/** Mails that a backend or an administrator asks for: a link for a new password, and the proof of an address. */
import { sendsMail } from '../../base/mail-settings.ts'
import { reason } from '../../base/reason.ts'
import type { Statement } from '../../db/db.ts'
import { findOwner, isProven, type Owner } from '../../domain/accounts/address-proof.ts'
import { resetStatements } from '../../domain/accounts/reset.ts'
import { too_many_mails, waitOfAddress } from '../../domain/mail/address-limit.ts'
import { codeStatements } from '../../domain/users/code-mail.ts'
import { findUser } from '../../domain/users/store.ts'
import { found, rateLimited } from '../../http/problem.ts'
import { fixedCodeOf, type Issuer } from '../../oidc/issuer.ts'
import { languageFor } from '../../pages/locale.ts'
import type { AnyCall, Handler } from '../handler.ts'
import type { Services } from '../services.ts'

/** All calls of the API for one address are one source. */
const source = 'api'

type UserCall = Pick<AnyCall, 'params' | 'request_id' | 'commit'> & {
  caller: { environment: NonNullable<AnyCall['caller']['environment']> }
  fail(
    code: 'mail_not_set_up',
    detail: 'The environment sends no mail. Set email.delivery first.',
    extra: { reason: typeof no_mail },
  ): never
}

const no_mail = reason`The environment sends no mail.`

interface About {
  owner: Owner
  issuer: Issuer
  at: Date
}

export const sendReset: Handler<'sendReset'> = (services, call) =>
  mail(services, call, (about) => {
    const { owner, at } = about
    const { url: issuer_url, settings } = about.issuer
    if (!settings.sign_in.password && !isProven(owner)) return verificationOf(services, call, about) // no link could set a password
    const { locale, texts } = languageFor(owner.locale ?? undefined, undefined)
    return resetStatements(
      services,
      {
        environment_id: call.caller.environment.id,
        issuer_url,
        owner,
        email: owner.email,
        request: null,
        browser: null,
        source,
        is_known: false,
        sign_in: settings.sign_in,
        words: texts.ways_in,
        locales: locale,
        device: null,
        request_id: call.request_id,
      },
      at,
    )
  })

/** The backend vouches for the account, so pressing the link verifies it: this is not proof from outside. */
export const sendVerification: Handler<'sendVerification'> = (services, call) =>
  mail(services, call, async (about) => (isProven(about.owner) ? [] : verificationOf(services, call, about)))

function verificationOf(services: Services, call: UserCall, { owner, issuer, at }: About): Promise<Statement[]> {
  return codeStatements(
    services,
    {
      environment_id: call.caller.environment.id,
      kind: 'verify_email',
      payload: { email: owner.email },
      user_id: owner.id,
      browser: null,
      source,
      is_known: false,
      fixed_code: fixedCodeOf(issuer),
      letter: ({ code, link, expires_at }) => ({ kind: 'verify_email', code, link, expires_at, device: null }),
      is_decoy: owner.deletes_at !== null,
      has_code: true,
      has_link: true,
      to: owner.email,
      locales: owner.locale,
      request_id: call.request_id,
      issuer_url: issuer.url,
    },
    at,
  )
}

/** Over a limit of emailed codes nothing is sent, and the answer is the same. Over the limit of the address the call is refused. */
async function mail(services: Services, call: UserCall, statementsOf: (about: About) => Promise<Statement[]>): Promise<object> {
  const environment_id = call.caller.environment.id
  const user = await found(findUser(services.db, environment_id, call.params.user_id ?? ''))
  const issuer = await services.issuers.find(environment_id)
  if (!issuer || !sendsMail(issuer.settings.email))
    return call.fail('mail_not_set_up', 'The environment sends no mail. Set email.delivery first.', { reason: no_mail })
  const owner = user.email === null ? null : await findOwner(services.db, environment_id, user.email)
  const at = services.now()
  const statements = owner && owner.id === user.id && owner.blocked_at === null ? await statementsOf({ owner, issuer, at }) : []
  const entry = { before: user, after: user, answer: {}, object: { type: 'user' as const, id: user.id } }
  const sent = await call.commit({ ...entry, statements }, at)
  if (sent) return {}
  const wait_seconds =
    owner && statements.length > 0 && issuer.settings.email.delivery === 'smtp'
      ? await waitOfAddress(services, environment_id, { to: owner.email }, at)
      : null
  if (wait_seconds !== null) throw rateLimited(too_many_mails, wait_seconds)
  await call.commit({ ...entry, statements: [] }, at)
  return {}
}
