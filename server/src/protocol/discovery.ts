// pure
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import type { Settings } from '@ostiary/contract/settings.ts'
import type { EmailSettings } from '../base/mail-settings.ts'
import { responseModes } from './authorize.ts'
import { claimsOfScope } from './claims.ts'
import { assertionAlgorithms } from './client-assertion.ts'
import { grantTypeNames } from './grant-types.ts'
import { promptValues } from './requested.ts'
import { asksForSignUp, letsSignUp } from './sign-up.ts'

type Capabilities = Pick<Settings, 'scopes' | 'sign_up' | 'mfa' | 'links' | 'oauth'> & {
  sign_in: Omit<Settings['sign_in'], 'passkey_shared_host'>
  email: EmailSettings
}

const clientAuthMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']

/**
 * The metadata of an issuer with its current settings: one document for both of its addresses.
 *
 * OIDC Discovery 1.0 §3, RFC 8414 §2, RFC 9207 §3, RP-Initiated Logout 1.0 §2.1, Back-Channel Logout 1.0 §2.2,
 * Initiating User Registration 1.0 §4.2
 * draft-ietf-oauth-client-id-metadata-document-02 §6: client_id_metadata_document_supported
 * OIDC Discovery §3: request_uri is supported unless the document denies it, so unsupported parameters are listed too
 */
export function discoveryDocument(issuer: string, settings: Capabilities, ui_locales: readonly string[]) {
  const { terms_url, privacy_url, support_url } = settings.links
  const scopes = oidcScopes.filter((scope) => scope === 'openid' || !settings.scopes.disabled.includes(scope))

  // Both levels are listed where a person who lacks them can reach them.
  const can_enrol = settings.mfa.totp || settings.sign_in.passkey
  const can_sign_up = letsSignUp(settings) && asksForSignUp(settings)

  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/v1/oauth/token`,
    userinfo_endpoint: `${issuer}/v1/oauth/userinfo`,
    jwks_uri: `${issuer}/v1/oauth/jwks.json`,
    revocation_endpoint: `${issuer}/v1/oauth/revoke`,
    end_session_endpoint: `${issuer}/oauth/logout`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: responseModes,
    grant_types_supported: grantTypeNames,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: clientAuthMethods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint_auth_methods_supported: clientAuthMethods,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claim_types_supported: ['normal'],
    claims_supported: [
      ...['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'sid', 'at_hash'],
      ...Object.entries(claimsOfScope).flatMap(([scope, claims]) => (scopes.some((name) => name === scope) ? claims : [])),
    ],
    acr_values_supported: [
      'urn:ostiary:1fa',
      ...(settings.mfa.mode !== 'off' && can_enrol ? ['urn:ostiary:2fa'] : []),
      ...(settings.sign_in.passkey ? ['urn:ostiary:passkey'] : []),
    ],
    prompt_values_supported: promptValues.filter((prompt) => prompt !== 'create' || can_sign_up),
    display_values_supported: ['page'],
    ui_locales_supported: ui_locales,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    ...(settings.oauth.metadata_clients !== 'off' && { client_id_metadata_document_supported: true }),
    ...(support_url !== null && { service_documentation: support_url }),
    ...(privacy_url !== null && { op_policy_uri: privacy_url }),
    ...(terms_url !== null && { op_tos_uri: terms_url }),
  }
}
