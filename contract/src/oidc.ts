/**
 * The requests and answers of the OpenID Connect endpoints, for the documentation. `server/src/protocol` judges requests: it also
 * accepts unknown parameters, as the RFCs require, and answers with OAuth errors.
 */
import { z } from 'zod'
import type { oidcRoutes } from './routes.ts'

/** The error codes of RFC 6749, OIDC Core, RFC 6750 and RFC 8707 that the service sends, with their status, cause and remedy. */
// biome-ignore format: this table is read by column
export const oauthErrors = {
  invalid_request:           { status: 400, explanation: 'A parameter is missing, repeated or malformed, or the body is not form-encoded. The description names it: correct the request.' },
  invalid_client:            { status: 401, explanation: 'The client authentication failed: an unknown client, a wrong secret or assertion, or another method than the token_endpoint_auth_method of the application. Check these three.' },
  invalid_grant:             { status: 400, explanation: 'The code or refresh token is unknown, expired, used or revoked, belongs to another client, or the redirect_uri or code_verifier differs. Start a new sign-in. Or the person has none of the roles in allowed_roles of the application: then nothing was spent.' },
  unauthorized_client:       { status: 400, explanation: 'The application may not use this grant type or response type, or it is disabled. Check its type and that it is enabled.' },
  unsupported_grant_type:    { status: 400, explanation: 'The token endpoint has no such grant type. Use authorization_code or refresh_token.' },
  unsupported_response_type: { status: 400, explanation: 'The authorization endpoint has no such response type. Use response_type=code.' },
  invalid_scope:             { status: 400, explanation: 'A scope is unknown, disabled in the environment, or missing in allowed_scopes of the application. Add it there, or ask for less. With unknown_scopes: ignore an unknown one is left out. At the token endpoint also: the roles of the person give none of the scopes at resource servers with require_roles.' },
  invalid_target:            { status: 400, explanation: 'resource is not the identifier of a resource server of this environment, or not one that the grant covers (RFC 8707). Send the exact identifier, already in the authorization request. Or the request asks for more resources and scopes than one token can hold: ask for fewer.' },
  access_denied:             { status: 400, explanation: 'The person or a policy refused the request, or the person has no role that it needs. Offer to try again.' },
  server_error:              { status: 500, explanation: 'The service failed. The operator finds the cause in the log by the X-Request-Id.' },
  temporarily_unavailable:   { status: 503, explanation: 'The service is overloaded or its database is unreachable. Retry after the number of seconds in Retry-After.' },
  login_required:            { status: 400, explanation: 'prompt=none was sent and the person is not signed in, or not recently enough. Repeat the request without prompt.' },
  interaction_required:      { status: 400, explanation: 'prompt=none was sent and the person has to do something first. Repeat the request without prompt.' },
  consent_required:          { status: 400, explanation: 'prompt=none was sent and the person has not consented. Repeat the request without prompt.' },
  request_not_supported:     { status: 400, explanation: 'Request objects are not supported. Send plain parameters.' },
  request_uri_not_supported: { status: 400, explanation: 'request_uri is not supported. Send plain parameters.' },
  registration_not_supported:{ status: 400, explanation: 'Dynamic registration in a request is not supported. Create an application first.' },
  invalid_token:             { status: 401, explanation: 'The access token is malformed, expired or revoked, or its audience is not this issuer. Get a new one.' },
  insufficient_scope:        { status: 403, explanation: 'The access token lacks a scope, which WWW-Authenticate names. Ask for that scope in a new sign-in.' },
} as const satisfies Record<string, { status: number; explanation: string }>

export type OAuthErrorName = keyof typeof oauthErrors

export const OAuthProblem = z
  .object({
    error: z
      .string()
      .describe('The code of the error.')
      .meta({ examples: ['invalid_grant'] }),
    error_description: z.string().optional().describe('What went wrong, for developers.'),
  })
  .describe('An error of OAuth (RFC 6749 §5.2). Programs use `error`; the description is for people.')

const urls = z.array(z.string())

export const ProviderMetadata = z
  .looseObject({
    issuer: z.string().describe('The issuer, the `iss` of every token.'),
    authorization_endpoint: z.string().describe('Where a sign-in begins.'),
    token_endpoint: z.string().describe('Where a code or a refresh token is exchanged.'),
    userinfo_endpoint: z.string().describe('Where an access token gets claims.'),
    jwks_uri: z.string().describe('The keys that verify tokens.'),
    revocation_endpoint: z.string().describe('Where a token is revoked.'),
    end_session_endpoint: z.string().describe('Where an application signs a person out.'),
    scopes_supported: urls.describe('The scopes that need no resource server.'),
    response_types_supported: urls.describe('Always `code`.'),
    grant_types_supported: urls.describe('The grant types of the token endpoint.'),
    code_challenge_methods_supported: urls.describe('Always `S256`.'),
    id_token_signing_alg_values_supported: urls.describe('The algorithms of ID tokens.'),
    subject_types_supported: urls.describe('Always `public`.'),
  })
  .describe('The metadata of an issuer (OIDC Discovery 1.0 §3, RFC 8414 §2). It has more members than these.')

export const JsonWebKeySet = z
  .object({
    keys: z
      .array(
        z.looseObject({
          kty: z.string().describe('The type of the key.'),
          kid: z.string().describe('The id of the key, in the header of tokens.'),
          alg: z.string().describe('The algorithm of the key.'),
          use: z.string().describe('Always `sig`.'),
        }),
      )
      .describe('The keys: the one that signs, the next one, and those that signed valid tokens.'),
  })
  .describe('A key set (RFC 7517 §5).')

export const TokenAnswer = z
  .object({
    access_token: z.string().describe('The access token, a JWT or opaque.'),
    token_type: z.literal('Bearer').describe('Always `Bearer`.'),
    expires_in: z.int().describe('The lifetime of the access token in seconds.'),
    scope: z
      .string()
      .optional()
      .describe(
        'The scopes of the access token, separated by spaces. Absent where the request asked for none, which needs `oauth.openid_optional`.',
      ),
    refresh_token: z.string().optional().describe('The refresh token, with the scope `offline_access`. Each use replaces it.'),
    id_token: z.string().optional().describe('The ID token, with the scope `openid`.'),
  })
  .describe('Tokens (RFC 6749 §5.1, OIDC Core §3.1.3.3).')

export const UserInfo = z
  .looseObject({ sub: z.string().describe('The `sub` of the user: the id, unless the user was created with a `sub`.') })
  .describe('Claims of the user by the scopes of the token (OIDC Core §5.3.2).')

const client = {
  client_id: z.string().optional().describe('The client id, where the client does not authenticate by the Authorization header.'),
  client_secret: z
    .string()
    .optional()
    .describe('The client secret, for `client_secret` and `client_secret_post`, where the Authorization header has none.'),
  client_assertion_type: z.string().optional().describe('For `private_key_jwt`: `urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.'),
  client_assertion: z.string().optional().describe('For `private_key_jwt`: the signed assertion (RFC 7523).'),
}

export const TokenRequest = z
  .object({
    grant_type: z.enum(['authorization_code', 'refresh_token']).describe('What the client exchanges.'),
    code: z.string().optional().describe('authorization_code: the code.'),
    redirect_uri: z.string().optional().describe('authorization_code: the redirect_uri of the authorization request.'),
    code_verifier: z.string().optional().describe('authorization_code: the PKCE verifier (RFC 7636).'),
    refresh_token: z.string().optional().describe('refresh_token: the refresh token.'),
    scope: z.string().optional().describe('refresh_token: a subset of the scopes.'),
    resource: z.string().optional().describe('The resource server of the access token (RFC 8707).'),
    organization: z
      .string()
      .optional()
      .describe('The id or the slug of the organization of the grant, or `none`. It changes nothing: any other is refused.'),
    ...client,
  })
  .describe('A token request, form-encoded (RFC 6749 §4.1.3, §6).')

export const RevocationRequest = z
  .object({
    token: z.string().describe('The access or refresh token. A refresh token ends its grant.'),
    token_type_hint: z.string().optional().describe('`access_token` or `refresh_token`.'),
    ...client,
  })
  .describe('A revocation request, form-encoded (RFC 7009 §2.1).')

export const UserInfoRequest = z
  .object({ access_token: z.string().optional().describe('The access token, where it is not in the Authorization header.') })
  .describe('A UserInfo request, form-encoded (RFC 6750 §2.2).')

export const AuthorizationRequest = z
  .object({
    response_type: z
      .string()
      .describe('Always `code`.')
      .meta({ examples: ['code'] }),
    client_id: z.string().describe('The client id of the application.'),
    redirect_uri: z.string().describe('One of the redirect URIs of the application, exactly.'),
    scope: z
      .string()
      .optional()
      .describe(
        'The scopes, separated by spaces. An ID token needs `openid`, and so does every request but one with `resource` where `oauth.openid_optional` is on.',
      )
      .meta({ examples: ['openid'] }),
    state: z.string().optional().describe('Returned to the application unchanged.'),
    nonce: z.string().optional().describe('Returned in the ID token.'),
    code_challenge: z.string().optional().describe('The PKCE challenge (RFC 7636 §4.2).'),
    code_challenge_method: z.string().optional().describe('Always `S256`.'),
    response_mode: z.string().optional().describe('`query` (the default), `fragment` or `form_post`.'),
    prompt: z.string().optional().describe('`none`, `login`, `consent`, `select_account` or `create`.'),
    max_age: z.string().optional().describe('The longest time since the last sign-in, in seconds.'),
    login_hint: z.string().optional().describe('The email of the person, if it is known.'),
    id_token_hint: z.string().optional().describe('An ID token of the person.'),
    acr_values: z.string().optional().describe('The wanted levels of the sign-in, best first.'),
    ui_locales: z.string().optional().describe('The languages of the person, best first.'),
    resource: z.string().optional().describe('The resource server of the access token (RFC 8707).'),
    organization: z
      .string()
      .optional()
      .describe(
        'The id or the slug of the organization that the person acts for, or `none`. It is ignored where organizations are not used.',
      ),
  })
  .describe('An authorization request (OIDC Core §3.1.2.1).')

export const SignOutRequest = z
  .object({
    id_token_hint: z.string().optional().describe('An ID token of the session to end.'),
    client_id: z.string().optional().describe('The application.'),
    post_logout_redirect_uri: z.string().optional().describe('Where to return to: a registered URI of the application.'),
    state: z.string().optional().describe('Returned to the application unchanged.'),
    ui_locales: z.string().optional().describe('The languages of the person, best first.'),
    logout_hint: z.string().optional().describe('Accepted and ignored.'),
  })
  .describe('A sign-out request (RP-Initiated Logout 1.0 §2).')

const Invited = z.object({ token: z.string().optional().describe('The token of the link.') }).describe('The link of an invitation.')
const MailedLink = z
  .object({
    token: z.string().optional().describe('The token of the link.'),
    ui_locales: z.string().optional().describe('Languages of the page in order of preference, separated by spaces.'),
  })
  .describe('A mailed link.')
const LogoutTokenRequest = z
  .object({ logout_token: z.string().describe('A JWT of the provider, signed with one of its keys. It counts once.') })
  .describe('A logout token of an identity provider.')
const ProviderAnswer = z
  .object({
    code: z.string().optional().describe('The code of the provider.'),
    state: z.string().optional().describe('The state of the sign-in.'),
    error: z.string().optional().describe('The error of the provider.'),
  })
  .describe('The answer of an identity provider.')

/** The requests and answers of an endpoint, besides its row. */
interface Exchange {
  query?: z.ZodObject
  form?: z.ZodType
  answer?: z.ZodType
  /** The statuses of OAuth errors. */
  refuses?: readonly number[]
  /** The OAuth errors of the endpoint, the frequent ones first; besides them it answers what every endpoint can. */
  errors?: readonly OAuthErrorName[]
  /** Whether a 401 can be without a body: RFC 6750 §3.1 gives no error to a request without a token. */
  may_be_bare?: true
}

// biome-ignore format: this table is read by column
export const exchanges: Record<keyof typeof oidcRoutes, Exchange> = {
  discovery:           { answer: ProviderMetadata },
  authorizationServer: { answer: ProviderMetadata },
  ownServer:           { answer: ProviderMetadata },
  jwks:                { answer: JsonWebKeySet },
  authorize:           { query: AuthorizationRequest },
  authorizeByPost:     { form: AuthorizationRequest },
  token:               { form: TokenRequest, answer: TokenAnswer, refuses: [400, 401, 413], errors: ['invalid_grant', 'invalid_client', 'invalid_request', 'unsupported_grant_type', 'invalid_scope', 'invalid_target'] },
  userinfo:            { answer: UserInfo, may_be_bare: true, refuses: [400, 401, 403], errors: ['invalid_token', 'insufficient_scope', 'invalid_request'] },
  userinfoByPost:      { form: UserInfoRequest, answer: UserInfo, may_be_bare: true, refuses: [400, 401, 403, 413], errors: ['invalid_token', 'insufficient_scope', 'invalid_request'] },
  revoke:              { form: RevocationRequest, answer: z.object({}).describe('An empty object.'), refuses: [400, 401, 413], errors: ['invalid_client', 'invalid_request'] },
  logout:              { query: SignOutRequest },
  logoutByPost:        { form: SignOutRequest },
  signIn:              {},
  showCodePage:        { query: AuthorizationRequest.extend({ step: z.string().optional().describe('What the page is about, sealed.') }) },
  enterCode:           {},
  showForgotPassword:  { query: AuthorizationRequest },
  forgotPassword:      {},
  showLink:            { query: MailedLink },
  useLink:             {},
  showNewPasswordPage: { query: MailedLink },
  newPassword:         {},
  signUp:              {},
  showSecondFactorPage: { query: AuthorizationRequest },
  secondFactor:        {},
  openEnrolmentCode:   { query: AuthorizationRequest },
  openEnrolTotp:       { query: AuthorizationRequest },
  openEnrolPasskey:    { query: AuthorizationRequest },
  enrolmentCode:       {},
  enrolTotp:           {},
  showRecoveryCodes:   { query: AuthorizationRequest.extend({ of: z.string().optional().describe('The user whose codes they are.') }) },
  confirmRecoveryCodes: {},
  enrolPasskey:        {},
  signInByPasskey:     {},
  offerPasskey:        {},
  selectAccount:       {},
  selectOrganization:  {},
  saveProfile:         {},
  consent:             {},
  federate:            {},
  callback:            { query: ProviderAnswer },
  signedOut:           { query: z.object({ state: z.string().optional().describe('The state of the sign-out.') }) },
  callbackByPost:      { form: ProviderAnswer },
  providerLogout:      { form: LogoutTokenRequest, answer: z.object({}).describe('An empty object.'), refuses: [400, 413, 429], errors: ['invalid_request'] },
  showInvitation:      { query: Invited },
  acceptInvitation:    {},
  showInvitationCode:  {},
  enterInvitationCode: {},
  leadFromIssuer:      {},
  leadFromRoot:        {},
  leadToPasswordChange: {},
  showAccount:         {},
  showOwnOrganization: {},
  changeOwnOrganization: {},
  changeOwnName:       {},
  changeOwnEmail:      {},
  confirmOwnEmail:     {},
  changeOwnPassword:   {},
  addOwnPasskey:       {},
  addOwnTotp:          {},
  renewOwnCodes:       {},
  addOwnProvider:      {},
  removeOwnMethod:     {},
  endOwnSession:       {},
  removeOwnTrustedBrowser: {},
  endOtherSessions:    {},
  disconnect:          {},
  answerOwnInvitation: {},
  leaveOrganization:   {},
  exportOwnData:       {},
  deleteOwnAccount:    {},
  signOut:             {},
}
