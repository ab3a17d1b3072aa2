/** The remedies for refused calls by code: codes of the API, of OAuth and of the hosted pages. A test keeps the table complete. */

// biome-ignore format: this table is read by column
const of_api: Record<string, string> = {
  malformed_request:         'Send the output of a JSON library unchanged, and check headers and address.',
  conflicting_credentials:   'Send one credential: a key or a token, in one header.',
  tenant_required:           'Name the tenant in the header X-Tenant-Id and, for users and sessions, the environment in X-Environment-Id.',
  invalid_cursor:            'Begin the list again without a cursor, with the filters unchanged from page to page.',
  unauthenticated:           'Send a key in the header X-API-Key, or an access token as Bearer.',
  invalid_key:               'Put the current key where the caller reads it. If it is lost or expired, create a new one.',
  ip_not_allowed:            'Add the address of the caller to the allowed addresses of the key, or call from an allowed one.',
  origin_not_allowed:        'Add the exact origin of the page (scheme, host, port) to the key. Programs outside of a browser need a secret key.',
  wrong_key_type:            'Use a key of the type that the reason names.',
  reauthentication_required: 'Sign in again, then repeat the change. The dashboard asks for it by itself.',
  insufficient_scope:        'Give the key or the token the scope that the reason names.',
  insufficient_role:         'Ask an owner or admin of the tenant for the role, or for the change.',
  not_found:                 'Check the ids of the address: the object was deleted, or belongs to another environment or tenant.',
  method_not_allowed:        'Use a method that the header Allow names.',
  slug_taken:                'Choose another slug.',
  already_member:            'Change the roles of the member instead.',
  identifier_taken:          'Choose another identifier, or use the object that has this one.',
  issuer_taken:              'Choose another origin for the issuer. One that was used is never free again.',
  key_revoked:               'Create a new key. A revoked one cannot come back.',
  not_waiting:               'Nothing to do: the account was approved or refused already, or never waited.',
  mail_not_set_up:           'Set up mail in the settings: a mail server or, in Test, capture.',
  last_owner:                'Make another member an owner first.',
  secret_not_used:           'Nothing to rotate or to add: the application authenticates without a client secret.',
  last_secret:               'Add another secret, move the callers, then delete this one.',
  no_signing_key:            'Let a resource server sign with ES256 first: its key is made then.',
  idempotency_in_progress:   'Wait until the first request has an answer, then repeat with the same Idempotency-Key.',
  idempotency_mismatch:      'Use a new Idempotency-Key for each new request.',
  promotion_state:           'Read the promotion again. To change the target once more, plan again.',
  promotion_stale:           'Plan again, compare, and apply the new plan.',
  promotion_conflict:        'Leave what was changed since as it is now, by naming it in leave, or change it back first.',
  approval_required:         'Let another owner or admin approve the plan.',
  promotion_blocked:         'Solve the errors that the plan names, and plan again.',
  stale_version:             'Read the object again, then repeat the change for the new version.',
  body_too_large:            'Send less than 1 MiB in one request.',
  unsupported_media_type:    'Send Content-Type: application/json, in UTF-8, uncompressed.',
  misdirected_request:       'Correct the host: no environment has it as its issuer. The API answers at the address of the service.',
  validation_failed:         'Correct the named fields. The answer lists them all, and nothing was changed.',
  quota_exceeded:            'Delete what is not used any more, or ask the operator for a higher limit.',
  metadata_unavailable:      'Correct the server of the document that the detail describes, and try again after 10 seconds.',
  metadata_invalid:          'Let the owner of the document correct what the detail names, and read it again.',
  metadata_busy:             'Try again after the seconds in Retry-After.',
  rate_limited:              'Wait for the seconds in Retry-After and call less often, or raise the limit of the key.',
  internal_error:            'Give the request id to the operator, who finds the cause in the log.',
  unavailable:               'Repeat the request after the seconds in Retry-After, a change with the same Idempotency-Key: it may have been made.',
}

// biome-ignore format: this table is read by column
const of_oauth: Record<string, string> = {
  invalid_request:            'Correct the parameter that the reason names. A client library sends all that are required.',
  invalid_client:             'Check client id, client secret and the authentication method of the application. A secret that is lost is rotated.',
  invalid_grant:              'Start a new sign-in. Codes work once and briefly, for the same redirect URI and code verifier.',
  unauthorized_client:        'Use a grant that the application may use, and see whether it is disabled.',
  unsupported_grant_type:     'Use authorization_code or refresh_token.',
  unsupported_response_type:  'Use response_type=code.',
  invalid_scope:              'Ask only for scopes that the application allows, or allow the scope under Scopes and consent.',
  invalid_target:             'Register the resource server, or correct the parameter resource.',
  access_denied:              'The person or a policy said no. Offer to try again.',
  server_error:               'Give the request id to the operator, who finds the cause in the log.',
  temporarily_unavailable:    'Try again shortly.',
  login_required:             'Repeat the request without prompt=none, so that the person can sign in.',
  interaction_required:       'Repeat the request without prompt=none, so that the person can act.',
  consent_required:           'Repeat the request without prompt=none, so that the person can consent.',
  request_not_supported:      'Send plain parameters instead of a request object.',
  request_uri_not_supported:  'Send plain parameters instead of request_uri.',
  registration_not_supported: 'Create the application here first.',
  invalid_token:              'Get a new access token by a refresh or a sign-in, and send it as Bearer.',
  insufficient_scope:         'Give the key or the token the scope that the reason names.',
}

// biome-ignore format: this table is read by column
const of_pages: Record<string, string> = {
  invalid_redirect_uri:         'Send one of the redirect URIs of the application, character by character, or add the address to them.',
  unknown_client:               'Use the client id of an application of this environment. Test and Live have different ones.',
  application_disabled:         'Enable the application under Addresses.',
  wrong_password:               'The person can try again, or choose a new password by “Forgot password”.',
  unknown_account:              'The person can sign up, or use the address of their account. Add the user if sign-up is closed.',
  user_blocked:                 'Unblock the user, if that is intended.',
  not_approved:                 'Approve the user, if that is intended. A refusal cannot be taken back: delete the user, and the person can sign up again.',
  locked_out:                   'Wait until the lockout ends. The settings say after how many attempts and for how long.',
  form_expired:                 'Start the sign-in again from the application. The browser must accept cookies.',
  provider_unreachable:         'Check the issuer and the credentials of the provider, and whether it answers.',
  invalid_id_token_hint:        'Send an ID token of this issuer, unchanged, as id_token_hint.',
  unregistered_post_logout_uri: 'Send id_token_hint or client_id where the reason says so, or add the address to the addresses after sign-out of the application.',
  wrong_code:                   'Enter the newest code. For an authenticator app, check the clock of the device.',
  unknown_passkey:              'Sign in by another method and add the passkey again, or remove it from the device.',
  passkey_refused:              'Use the passkey on a page of its own domain, and try again.',
  passkey_counter_back:         'The passkey may have been copied. Remove it from the account and add a new one.',
  passkey_backup_changed:       'The passkey may have been copied. Remove it from the account and add a new one.',
  metadata_client_unlisted:     'If you know the program, approve its address below, or by ostiary metadata-clients create. A blocked one is unblocked with it.',
  metadata_client_unavailable:  'The owner of the document corrects its server: it answers 200 with JSON within 3 seconds. Open the address in a browser to see what it answers.',
  metadata_client_invalid:      'The owner of the document corrects what the reason names.',
  metadata_client_busy:         'Try again in a minute. If the environment has as many such programs as it may have, delete some, or ask the operator for a higher limit.',
  no_access:                    'Give the user a role that the reason names, or change the roles that let a person in, under Scopes and consent of the application.',
  not_a_member:                 'Add the user as a member of the organization, or enable it, under Organizations. If the request names another one than you meant, send the id or the slug that its page shows.',
}

// biome-ignore format: this table is read by column
const of_tokens: Record<string, string> = {
  malformed:            'Send the access token unchanged, without the word Bearer before it.',
  unknown:              'Send the access token that the token endpoint of this environment returned, not the ID token.',
  expired:              'Get a new access token by a refresh or a sign-in.',
  revoked:              'Start a new sign-in.',
  session_ended:        'Start a new sign-in.',
  not_allowed:          'Give the user one of the roles in allowed_roles of the application, if that is intended.',
  environment_mismatch: 'Use the key of the environment whose issuer the token names, or send people to the issuer of this one.',
}

const fixes = { ...of_tokens, ...of_oauth, ...of_pages, ...of_api }

export const fixOf = (code: string): string => fixes[code] ?? 'Read the reason, and the documentation of the code.'
/** Whether `/docs/errors/{code}` exists. */
export const hasPage = (code: string): boolean => code in fixes
