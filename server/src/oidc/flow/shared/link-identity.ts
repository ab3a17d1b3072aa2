/**
 * The link of an identity to an account that has the address which the provider verified. It is stored with the session, so a person who
 * does not pass the second factor adds no way to sign in. Until then it is a part of the half sign-in.
 */
import type { Statement } from '../../../db/db.ts'
import { mailStatements } from '../../../domain/mail/send.ts'
import { issuerOfProvider } from '../../../domain/providers/kinds.ts'
import {
  findIdentity,
  findProvider,
  holdProvider,
  insertIdentity,
  noteIdentityUse,
  type UpstreamSubject,
} from '../../../domain/providers/store.ts'
import { methodAdded } from '../../../domain/users/added-methods.ts'
import { holdProvenOwner } from '../../../domain/users/store.ts'
import { removeAllTrusted } from '../../../domain/users/trusted-browsers.ts'
import type { OidcCall, OidcServices } from '../../call.ts'
import { deviceOf } from '../../device.ts'
import { pageContext } from '../../hosted-page.ts'

interface Linking {
  user_id: string
  /** The address that the provider verified. */
  email: string
  /** The id that the identity gets. */
  identity_id: string
  links: UpstreamSubject
}

interface Link {
  identity_id: string
  /** They come before other rows, after `aboutUser`. */
  hold: Statement[]
  /** They follow what proves the address. */
  statements: Statement[]
}

/**
 * `null`: the provider may not link any more, or another account has the identity. As guards the statements fail where the provider
 * changes in the meantime, or the account no longer has the address or its proof.
 */
export async function linkIdentity(services: OidcServices, call: OidcCall, linking: Linking): Promise<Link | null> {
  const { db } = services
  const { now, request_id } = call
  const { environment_id } = call.issuer
  const { user_id, email, identity_id, links } = linking
  const known = await findIdentity(db, environment_id, links)
  if (known !== null && known.user_id !== user_id) return null
  // Another tab of the person linked it.
  if (known !== null) return { identity_id: known.id, hold: [], statements: [noteIdentityUse(environment_id, links, now)] }
  const provider = await findProvider(db, environment_id, links.provider_id)
  if (!provider?.enabled || !provider.link_by_verified_email || issuerOfProvider(provider) !== links.issuer) return null
  const method = { type: 'provider', provider_id: provider.id, name: provider.display_name } as const
  const asked = { request_id, device: deviceOf(call), now }
  const { event, notice } = methodAdded(services, { environment_id, id: user_id }, method, asked)
  const mail = { to: email, user_id, request_id, notice, locales: pageContext(call).locale }
  return {
    identity_id,
    // Before the second factor of this sign-in can trust the browser.
    hold: [holdProvider(environment_id, provider.id, provider.version), removeAllTrusted(environment_id, user_id)],
    statements: [
      holdProvenOwner(environment_id, user_id, email),
      insertIdentity(environment_id, links, { id: identity_id, user_id }, now),
      event,
      ...(await mailStatements(services, environment_id, mail, now)),
    ],
  }
}
