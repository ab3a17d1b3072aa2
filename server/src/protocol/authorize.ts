// pure
/**
 * The rules of the OpenID Connect server. Each file contains the rules of one protocol object, as functions of plain values with the names
 * of the RFCs: no database, HTTP, clock or randomness. Rules that only a database can enforce, such as single use, stand in `domain/sessions/`.
 */
import type { OrganizationUse } from '@ostiary/contract/objects/organization-use.ts'
import { oneOf, type Reason, reason } from '../base/reason.ts'
import { longest_jwt } from './claims.ts'
import { type Client, sentIdOf } from './client.ts'
import { consentWords, wordFor } from './consent.ts'
import { OAuthError } from './oauth-error.ts'
import { type Choosing, organizationUse, readChoosing, readOrganization } from './organization.ts'
import { type RequestParameters, refuseUnreadable } from './parameters.ts'
import { isRegistered } from './redirect-uris.ts'
import {
  type Prompt,
  type Resource,
  readCodeChallenge,
  readMaxAge,
  readPrompt,
  readResource,
  readScope,
  readSignedInSince,
  refuseClosedTargets,
  refuseTooWide,
} from './requested.ts'
import { allowedScopes, includesScope } from './scope.ts'

export const responseModes = ['query', 'fragment', 'form_post'] as const
export type ResponseMode = (typeof responseModes)[number]

/** A valid authorization request, as the later steps need it. */
export interface AuthorizationRequest {
  client_id: string
  redirect_uri: string
  response_mode: ResponseMode
  /** Names between single spaces, each once, in the order of the request. */
  scope: string
  resource: readonly string[]
  /** The consent that the request needs, in the words of `consentWords`. */
  consent_to: readonly string[]
  state: string | undefined
  nonce: string | undefined
  /** Always S256. Undefined only where the application may leave PKCE out, or a nonce takes its place. */
  code_challenge: string | undefined
  prompt: readonly Prompt[]
  max_age: number | undefined
  /** Set by this service, not by the client; see `withoutSatisfied`. */
  signed_in_since: Date | undefined
  /** The session that this request goes on with since a step of its person (`withSession`). */
  of_session: string | undefined
  /** Set by this service: the account began in this request, and nobody asked for a name (`withNameAsked`). */
  asks_name: boolean
  login_hint: string | undefined
  id_token_hint: string | undefined
  ui_locales: readonly string[]
  acr_values: readonly string[]
  /** Whether the person acts for an organization. */
  organization_use: OrganizationUse
  /** The id or the slug of an organization, or `none`; undefined where the request names none. */
  organization: string | undefined
  /** Set by this service: the person looks at the list of their organizations (`withChoosing`). */
  choosing: Choosing | undefined
}

/** The scopes and resource servers of an environment. Without `resources` every `resource` is refused. */
export interface AuthorizationPolicy {
  disabled_scopes: readonly string[]
  resources?: readonly Resource[]
  /** See `readScope`. */
  scopes_elsewhere?: readonly string[] | undefined
  /** The setting of the environment. */
  openid_optional?: boolean
}

export type Cause =
  | 'client_id_missing'
  | 'client_id_repeated'
  | 'client_unknown'
  | 'client_disabled'
  | 'redirect_uri_missing'
  | 'redirect_uri_repeated'
  | 'redirect_uri_mismatch'

export type Verdict =
  | { kind: 'proceed'; client: Client; request: AuthorizationRequest }
  /** To the client, by its redirect URI. */
  | {
      kind: 'return_error'
      client: Client
      redirect_uri: string
      response_mode: ResponseMode
      state: string | undefined
      error: OAuthError
    }
  /** To the person only, never by a redirect. */
  | { kind: 'show_error'; cause: Cause; error: OAuthError }

/**
 * Judges an authorization request before the sign-in. `client` is the one that the parameter client_id names.
 *
 * RFC 6749 §4.1.2.1:  a wrong client_id or redirect_uri is shown to the person and never redirected; any other error goes to the client,
 *                     with its state
 * RFC 9700 §2.1:      redirect_uri is compared as an exact string
 * OIDC Core §3.1.2.1: redirect_uri is required, even where only one is registered
 */
export function judgeAuthorizationRequest(parameters: RequestParameters, client: Client | null, policy: AuthorizationPolicy): Verdict {
  const { values, repeated, malformed } = parameters
  const { client_id, redirect_uri } = values

  if (repeated.has('client_id')) return showError('client_id_repeated', reason`client_id was sent more than once.`)
  if (client_id === undefined && !malformed.has('client_id')) return showError('client_id_missing', reason`client_id is missing.`)
  if (!client || sentIdOf(client) !== client_id) return showError('client_unknown', reason`No application has this client_id.`)
  if (client.disabled) return showError('client_disabled', reason`The application is disabled.`)

  if (repeated.has('redirect_uri')) return showError('redirect_uri_repeated', reason`redirect_uri was sent more than once.`)
  if (malformed.has('redirect_uri'))
    return showError('redirect_uri_mismatch', reason`redirect_uri holds control characters or is not UTF-8.`)
  if (redirect_uri === undefined) return showError('redirect_uri_missing', reason`redirect_uri is missing.`)
  if (!isRegistered(client, redirect_uri)) {
    return showError('redirect_uri_mismatch', reason`redirect_uri is not registered for this application.`)
  }

  const response_mode = knownMode(values.response_mode ?? modeInRequestObject(values.request)) ?? 'query'
  const state = values.state !== undefined && values.state.length <= longest.state ? values.state : undefined
  try {
    return {
      kind: 'proceed',
      client,
      request: { client_id, redirect_uri, response_mode, state, ...readRest(parameters, client, policy, redirect_uri) },
    }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return { kind: 'return_error', client, redirect_uri, response_mode, state, error }
  }
}

const knownMode = (sent: unknown) => responseModes.find((mode) => mode === sent)

const longest_request_object = 16_384

/**
 * OIDC Core §6.1: a client that sends a request object may put its response_mode only there, so the error that refuses the object is
 * sent by that mode. Nothing else of the object is read. Its signature is not verified, because any client may choose any mode.
 */
function modeInRequestObject(request: string | undefined): unknown {
  if (request === undefined || request.length > longest_request_object) return undefined
  const [, payload, , beyond] = request.split('.', 4)
  if (payload === undefined || beyond !== undefined) return undefined // RFC 7516 §3.1: five parts are encrypted
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    return typeof claims === 'object' && claims !== null && Object.hasOwn(claims, 'response_mode') && 'response_mode' in claims
      ? claims.response_mode
      : undefined
  } catch {
    return undefined // not JSON: the default mode
  }
}

const showError = (cause: Cause, description: Reason): Verdict => ({
  kind: 'show_error',
  cause,
  error: new OAuthError(cause === 'client_disabled' ? 'unauthorized_client' : 'invalid_request', description),
})

/** In characters. We choose limits far above what clients send, so that a response always fits into a header. */
const longest = {
  state: 4_096,
  nonce: 1_024,
  scope: 4_096,
  login_hint: 1_000,
  id_token_hint: longest_jwt,
  ui_locales: 1_000,
  acr_values: 1_000,
}

/**
 * Judges the parameters whose errors go to the client.
 *
 * RFC 6749 §3.1.1, §4.1.2.1: a missing response_type is invalid_request, an unknown one unsupported_response_type
 * OIDC Core §6, §3.1.2.6:    request objects are not supported, nor (§7.2.1) is registration
 * OIDC Core §5.5:            claims is ignored, as discovery says; an unknown display or locale is not an error (§3.1.2.1)
 * Multiple Response Types §2.1: an unknown response_mode is invalid_request
 */
function readRest(
  parameters: RequestParameters,
  client: Client,
  policy: AuthorizationPolicy,
  redirect_uri: string,
): Omit<AuthorizationRequest, 'client_id' | 'redirect_uri' | 'response_mode' | 'state'> {
  refuseUnreadable(parameters)
  const { values } = parameters
  const { response_mode, response_type } = values

  if (response_mode !== undefined && !responseModes.some((mode) => mode === response_mode)) {
    throw new OAuthError('invalid_request', `response_mode is one of ${responseModes.join(', ')}.`, {
      reason: reason`response_mode has an unknown value.`,
    })
  }
  if (values.request !== undefined) throw new OAuthError('request_not_supported', 'Send the parameters themselves, not a request object.')
  if (values.request_uri !== undefined)
    throw new OAuthError('request_uri_not_supported', 'Send the parameters themselves, not request_uri.')
  if (values.registration !== undefined) throw new OAuthError('registration_not_supported', 'Applications are registered beforehand.')
  if (response_type === undefined) throw new OAuthError('invalid_request', 'response_type is missing.')
  if (response_type !== 'code') throw new OAuthError('unsupported_response_type', 'response_type must be code.')
  for (const [name, limit] of Object.entries(longest)) {
    if ((values[name] ?? '').length > limit)
      throw new OAuthError(
        'invalid_request',
        reason`${oneOf(Object.keys(longest), name, 'A parameter')} is longer than ${limit} characters.`,
      )
  }

  const resources = readResource(parameters.lists.resource ?? [], policy.resources ?? [], policy.openid_optional ?? false)
  if (client.metadata) refuseClosedTargets(resources)
  const scope = readScope(values.scope, { ...client, allowed_scopes: [...allowedScopes(client, resources)] }, policy, resources)
  refuseTooWide(resources, scope, client)
  const nonce_replaces_pkce = client.nonce_replaces_pkce && includesScope(scope, 'openid')
  const organization_use = organizationUse(client, resources)
  return {
    scope,
    resource: resources.map((resource) => resource.identifier),
    consent_to: consentWords(scope, resources).map((word) => wordFor(client, redirect_uri, word)),
    nonce: values.nonce,
    code_challenge: readCodeChallenge(values.code_challenge, values.code_challenge_method, values.nonce, {
      ...client,
      nonce_replaces_pkce,
    }),
    prompt: readPrompt(values.prompt),
    max_age: readMaxAge(values.max_age),
    signed_in_since: readSignedInSince(values.signed_in_since),
    of_session: values.of_session,
    asks_name: values.ask_name !== undefined,
    login_hint: values.login_hint,
    id_token_hint: values.id_token_hint,
    ui_locales: words(values.ui_locales),
    acr_values: words(values.acr_values),
    organization_use,
    organization: readOrganization(values.organization, organization_use),
    choosing: readChoosing(values, organization_use),
  }
}

const words = (value: string | undefined) => (value ?? '').split(' ').filter((word) => word !== '')
