/**
 * The account page: a person who is signed in connects a provider to the account (decision 0121). The button leads to the provider, and the
 * answer of the provider links the identity, in the session in which the person pressed the button and in no other. The email of the
 * provider plays no part.
 */
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { issuerOfProvider } from '../../../domain/providers/kinds.ts'
import type { UpstreamProfile } from '../../../domain/providers/profile.ts'
import {
  findIdentity,
  findProvider,
  findUpstream,
  holdProvider,
  insertIdentity,
  noteSuccess,
  type Upstream,
} from '../../../domain/providers/store.ts'
import type { UpstreamSignIn } from '../../../domain/providers/upstream-sign-ins.ts'
import { methodAdded } from '../../../domain/users/added-methods.ts'
import { holdUser } from '../../../domain/users/store.ts'
import { removeAllTrusted } from '../../../domain/users/trusted-browsers.ts'
import { accountUrl } from '../../account-url.ts'
import type { Browser } from '../../browser.ts'
import { type Answer, type OidcCall, type OidcEndpoint, type OidcServices, redirect, refused } from '../../call.ts'
import { deviceOf } from '../../device.ts'
import { sessionEnded } from '../../hosted-page.ts'
import {
  beginCountedChange,
  changedMeanwhile,
  doneElsewhere,
  findOwnUser,
  type OwnAccount,
  sign_in_needed,
  tooManyChanges,
} from '../account/gate.ts'
import { showAccountPage, showAddProvider } from '../account/screens.ts'
import { holdFreshSession, isFreshlySignedIn } from '../shared/fresh-sign-in.ts'
import { commitWithNotice, hasRoomForChange } from '../shared/notice.ts'
import { showConnectionProblem } from '../shared/screens.ts'
import { callbackOf, leadToProvider, not_allowed_there, noteUpstreamFailure, provider_changed } from './lead-to-provider.ts'

/** Leads to the provider, which asks the person again: whom its browser session belongs to may be another person. */
export const addOwnProvider: OidcEndpoint = async (services, call) => {
  const own = await beginCountedChange(services, call, 'add-provider')
  if ('answer' in own) return own.answer
  const { browser, session, user } = own
  const provider = await findUpstream(services.db, call.issuer.environment_id, call.form?.get('id') ?? '')
  if (!provider || browser.form_seed === null) return providerGone(services, call, own)
  const place = accountUrl(call, { action: 'add-provider', id: provider.id, user: user.id })
  try {
    const led = await leadToProvider(services, call, {
      provider,
      query: place.slice(place.indexOf('?') + 1),
      browser: browser.form_seed,
      connects: { user_id: user.id, session_id: session.id },
      upstreams: browser.upstreams,
      hints: { login_hint: undefined, prompt: 'login' },
    })
    if ('answer' in led) return led.answer
    const { limited, wait_seconds } = led
    const shown = await showAddProvider(services, call, own, { id: provider.id, problem: 'too_many', wait_seconds })
    return refused(shown, limited)
  } catch (error) {
    const noted = await noteUpstreamFailure(services, call, provider, error)
    return showConnectionProblem(call, { provider, back_url: place }, { problem: 'connect_unreachable', ...noted })
  }
}

/** The answer of the provider to a connection that this browser began. */
export async function finishConnecting(
  services: OidcServices,
  answered: OidcCall,
  browser: Browser,
  { connects, ...started }: UpstreamSignIn & { connects: NonNullable<UpstreamSignIn['connects']> },
): Promise<Answer> {
  // The pages continue that of the account, in its language.
  const call = { ...answered, query: started.query }
  const { environment_id } = call.issuer
  const { provider_id } = started
  const place = accountUrl(call, { action: 'add-provider', id: provider_id, user: connects.user_id })
  const session = browser.sessions.find(({ id, user_id }) => id === connects.session_id && user_id === connects.user_id)
  const user = session ? await findOwnUser(services, call, session.user_id) : null
  if (!session || !user) return sessionEnded(call, place)
  call.subject.user_id = user.id
  const own = { browser, session, user }
  if (!(await isFreshlySignedIn(services, call, session))) return refused(redirect(place), sign_in_needed)
  const provider = await findUpstream(services.db, environment_id, provider_id)
  if (provider === null || issuerOfProvider(provider) !== started.issuer) return providerGone(services, call, own)
  if (new URLSearchParams(answered.query).get('error') === 'access_denied')
    return showConnectionProblem(call, { provider, back_url: place }, { problem: 'connect_refused', refusal: not_allowed_there })
  let profile: UpstreamProfile
  try {
    const url = new URL(`${callbackOf(call, provider_id)}?${answered.query}`)
    profile = await services.upstreams.handleCallback(provider, url, started)
    const noted = noteSuccess(provider, call.now)
    if (noted) await services.db.of(environment_id).run(noted)
  } catch (error) {
    const noted = await noteUpstreamFailure(services, call, provider, error)
    return showConnectionProblem(call, { provider, back_url: place }, { problem: 'connect_unreachable', ...noted })
  }
  return connect(services, call, own, { provider, subject: profile.subject })
}

/** Links the identity to the account, unless another account has it. */
async function connect(
  services: OidcServices,
  call: OidcCall,
  own: OwnAccount,
  { provider, subject }: { provider: Upstream; subject: string },
): Promise<Answer> {
  const { db } = services
  const { environment_id } = call.issuer
  const { user, session } = own
  const identity = { provider_id: provider.id, issuer: issuerOfProvider(provider), subject }
  /** The answer where an account has the identity already: this one, perhaps by another tab, or a different one. */
  async function known(): Promise<Answer | null> {
    const has = await findIdentity(db, environment_id, identity)
    if (has === null) return null
    if (has.user_id === user.id) return doneElsewhere(services, call, own, 'add-provider')
    return showConnectionProblem(call, { provider, back_url: accountUrl(call) }, { problem: 'connect_taken', refusal: taken })
  }
  const before = await known()
  if (before) return before
  // The provider may have changed while the person was there.
  const current = await findProvider(db, environment_id, provider.id)
  if (!current?.enabled || issuerOfProvider(current) !== identity.issuer) return providerGone(services, call, own)
  const asked = { request_id: call.request_id, device: deviceOf(call), now: call.now }
  const method = { type: 'provider', provider_id: current.id, name: current.display_name } as const
  const { event, notice } = methodAdded(services, user, method, asked)
  const connected = await commitWithNotice(services, call, user, {
    notice,
    hold: [holdProvider(environment_id, current.id, current.version)],
    statements: [
      holdUser(environment_id, user.id),
      holdFreshSession(call, session),
      insertIdentity(environment_id, identity, { id: services.newId('mth'), user_id: user.id }, call.now),
      removeAllTrusted(environment_id, user.id),
      event,
    ],
  })
  if (connected) return doneElsewhere(services, call, own, 'add-provider')
  const meanwhile = await known()
  if (meanwhile) return meanwhile
  if (!(await hasRoomForChange(services, call, user)))
    return tooManyChanges(services, call, own, { action: 'add-provider', id: provider.id })
  return changedMeanwhile(services, call, own, { action: null, id: null })
}

const providerGone = async (services: OidcServices, call: OidcCall, own: OwnAccount): Promise<Answer> =>
  refused(await showAccountPage(services, call, own, { notice: null, problem: 'changed' }), provider_changed)

const taken = refusal('identifier_taken', reason`Another user of the environment has the identity at the provider.`)
