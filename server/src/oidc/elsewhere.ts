/**
 * Recognises what belongs to another environment of the same project, since Test and Live are easily confused: tokens and clients. The
 * developers of the tenant read what it finds.
 */
import { digestOf } from '../base/digest.ts'
import { reason } from '../base/reason.ts'
import type { Db } from '../db/db.ts'
import { findOtherEnvironment } from '../domain/applications/store.ts'
import { isOpaqueTokenOfSibling } from '../domain/sessions/opaque-tokens.ts'
import { findSibling } from '../domain/tenancy/store.ts'
import { claimedIssuer } from '../protocol/claimed-issuer.ts'
import { OAuthError } from '../protocol/oauth-error.ts'
import { opaque_prefix } from './access-token.ts'
import type { Issuer } from './issuer.ts'

/** In characters, checked before any work that grows with the token. Every token of this service is much shorter. */
export const longest_token = 65_536

/** Reports whether a token is of another environment: an opaque one that it issued, or a JWT that names its issuer and is not verified. */
export async function isOfSibling(db: Db, issuer: Issuer, token: string): Promise<boolean> {
  if (token.length > longest_token) return false
  if (token.startsWith(opaque_prefix)) return isOpaqueTokenOfSibling(db, issuer, digestOf(token))
  const claimed = claimedIssuer(token)
  return claimed !== null && claimed !== '' && (await findSibling(db, issuer, claimed)) !== null
}

/** Names the issuer of an application that belongs to another environment. Only Test shows the error to the caller. */
export async function explainUnknownClient(db: Db, issuer: Issuer, error: OAuthError, client_id = ''): Promise<OAuthError> {
  const other = await findOtherEnvironment(db, issuer.tenant_id, issuer.project_id, client_id)
  if (!other) return error
  const name = { test: 'a Test', live: 'a Live' }[other.type]
  return new OAuthError(error.code, `This client_id belongs to ${name} environment of this project. Its issuer is ${other.issuer}`, {
    reason: reason`The client_id belongs to another environment of the project, of the type ${other.type}.`,
    used_header: error.used_header,
  })
}
