/**
 * The words by which answers and events say what failed beside the errors, with what to do: a provider, a delivery, a mail, a check of readiness.
 * The first sentence is the title. The name of a word never changes, and each has a page below `/docs/errors`, as errors have.
 */
import type { AttemptError } from './delivery.ts'
import type { MailFailure } from './mail.ts'
import type { ProviderCause } from './objects/provider.ts'
import type { Webhook } from './objects/webhook.ts'
import type { RevertConflict } from './promotion.ts'
import type { PromotionCheckCode } from './promotion-check.ts'
import type { ReadinessCheck } from './readiness.ts'

// biome-ignore format: this table is read by column
export const providerExplanations: Record<ProviderCause, string> = {
  dns:                 'The host of the provider has no address. Check the issuer of the provider for a typing error, and the DNS of the machine.',
  refused:             'Nothing accepts connections at the provider. Check the port in its issuer, and whether it runs.',
  tls:                 'The provider has no certificate that is trusted, or speaks no TLS. Renew the certificate; the operator can trust an authority by `NODE_EXTRA_CA_CERTS`.',
  timeout:             'The provider did not answer in time. Check that the network lets outgoing calls through, and whether the provider is slow.',
  address_not_allowed: 'The provider has an address that outgoing calls may not reach. The operator can allow a private network in `OSTIARY_WEBHOOK_ALLOWED_NETWORKS`.',
  proxy:               'The egress proxy of this deployment made no connection to the provider. It has no such name, may not connect there, or is down: ask the operator.',
  status:              'An endpoint of the provider answered with an error. The detail names the endpoint and the status; the log of the provider says more.',
  metadata:            'The metadata of the provider cannot be used. `{issuer}/.well-known/openid-configuration` must be JSON with the endpoints of an OpenID Provider.',
  issuer_mismatch:     'The provider has another issuer than is set here. Copy `issuer` from its metadata, with or without a slash at the end as it stands there.',
  keys:                'The keys of the provider cannot be read, or none fits its token. Its `jwks_uri` must answer with the key that signed the ID token.',
  client_rejected:     'The provider refused the client. Compare client id, client secret and redirect URI with those at the provider; a secret can have expired.',
  id_token:            'The ID token of the provider is not valid. Check the clocks of both sides, and that the client id is the one of this provider.',
  userinfo:            'The claims of the provider cannot be used. Its UserInfo must answer with the `sub` of the ID token; check the scopes.',
}

/** Of webhooks and back-channel logouts. */
// biome-ignore format: this table is read by column
export const deliveryExplanations: Record<AttemptError | NonNullable<Webhook['disabled_reason']>, string> = {
  dns:                 'The host of the receiver has no address. Check the address of the webhook or of the back-channel logout, and the DNS of the machine.',
  refused:             'Nothing accepts connections at the receiver. Check its port, and whether it runs.',
  tls:                 'The receiver has no certificate that is trusted, or speaks no TLS. Renew the certificate; the operator can trust an authority by `NODE_EXTRA_CA_CERTS`.',
  timeout:             'The receiver did not answer in time. Answer first, and do the work afterwards.',
  address_not_allowed: 'The receiver has an address that outgoing calls may not reach. The operator can allow a private network in `OSTIARY_WEBHOOK_ALLOWED_NETWORKS`.',
  proxy:               'The egress proxy of this deployment made no connection to the receiver. It has no such name, may not connect there, or is down: ask the operator.',
  gone:                'The receiver answered 410, so the webhook is disabled. Enable it again once the receiver is back.',
  failing:             'No delivery succeeded for five days, so the webhook is disabled. Repair the receiver, enable the webhook, and resend what it missed.',
}

// biome-ignore format: this table is read by column
export const mailExplanations: Record<MailFailure, string> = {
  dns:         'The host of the mail server has no address. Check the host in the mail settings.',
  forbidden:   'The mail server has an address that outgoing calls may not reach. The operator can allow a private network in `OSTIARY_WEBHOOK_ALLOWED_NETWORKS`.',
  refused:     'Nothing accepts connections at the mail server. Check its host and port.',
  unreachable: 'The mail server cannot be reached. Check the network, and that the provider of the machine allows outgoing mail.',
  timeout:     'The mail server did not answer in time. A firewall often swallows connections to port 25: use the submission port of the server.',
  tls:         'The connection to the mail server cannot be secured. Check `tls` of the mail settings and the certificate of the server.',
  auth:        'The mail server refused the user name or the password. Enter both again.',
  no_smtputf8: 'The mail server takes no address with letters beyond ASCII. Use a server with SMTPUTF8 (RFC 6531).',
  rejected:    'The mail server refused the mail. Its reply says why: mostly the address of the recipient, or a sender that it does not allow.',
  closed:      'The mail server ended the connection. The mail is tried again.',
  outlived:    'The mail became useless before the mail server accepted it. Its code or link has expired; the person asks for a new one.',
  not_set_up:  'The environment has no mail server any more. Set one up in the mail settings.',
}

// biome-ignore format: this table is read by column
export const checkExplanations: Record<ReadinessCheck['code'], string> = {
  mail_works:          'The environment sends mail. Without it nobody can verify an address or get back into an account: set a mail server in the settings.',
  application_exists:  'An application is registered and enabled. Register one, or enable it.',
  https_only:          'The issuer and all addresses are https. Replace each http address; the operator sets that of the issuer in `OSTIARY_BASE_URL`.',
  no_try_address:      'No application has the redirect URI of Try sign-in. Remove it from the application that the check names.',
  keys_restricted:     'Every secret key works only from listed addresses. Set `ip_allowlist` of each key to the addresses of your servers.',
  webhooks_answer:     'Every enabled webhook answers. Repair the receiver, send a test event, and enable a webhook that was disabled.',
  providers_answer:    'No enabled provider has failed since its last sign-in. `last_failure` of the provider names the cause.',
  nothing_ends_soon:   'No client secret, key or secret of a provider ends within 30 days. Replace the one that the check names before it ends.',
  links_set:           'The pages link to your terms, privacy policy and support. Set the three addresses in the settings.',
  two_owners:          'The tenant has two owners, since one can be locked out. Make another member an owner.',
  passkeys_usable:     'Nobody needs a passkey that is switched off. Switch passkeys on, or give the people that the check counts another second factor.',
  claims_for_products: 'The claims have the names that products need. Let the verified address take their place: `claims.name` and `claims.preferred_username`.',
  roles_give_scopes:   'Each resource server with `require_roles` has a scope that a role gives. Name its scopes in the permissions of a role, or switch `require_roles` off.',
  organizations_exist: 'Where an application or a resource server has `organizations: required`, the environment has an organization. Create one and add its members, or ask for none: until then nobody gets in.',
  agents_get_tokens:   'Where clients connect by their address, requests may leave `openid` out: switch `oauth.openid_optional` on. Agents ask for the scopes of an API alone.',
  real_sign_in:        'A person signed in within the last 90 days. Sign in once through your application.',
}

// biome-ignore format: this table is read by column
export const planExplanations: Record<PromotionCheckCode, string> = {
  value_required:     'A new object needs a value of the target, such as its redirect URIs. Give it in `values`, and plan again.',
  not_valid_there:    'The target refuses a value, or the result as a whole. The detail says why: change the source, give another value, or mark the field as meant to differ.',
  type_differs:       'The target has an object with this slug and another type. Choose another slug, or delete that object first.',
  identifier_taken:   'Another object of the target has this identifier. Give a different identifier in `values`.',
  unknown_scope:      'Neither the target nor the plan has this scope. Bring the resource server that has it in the same promotion.',
  unknown_resource_server: 'A role names a resource server that neither the target nor the plan has. Bring the resource server in the same promotion, or take the entry out of the role.',
  unknown_role:       'An application names a role that neither the target nor the plan has. Bring the role in the same promotion.',
  quota_exceeded:     'The target has no room for all new objects. Delete some there, or ask the operator for a higher limit.',
  secret_required:    'An enabled provider or a new mail server has no secret. Name one in the document of the target, or leave the provider disabled.',
  too_many_changes:   'A promotion changes at most 1,000 objects. Plan a part with `only`.',
  edited_there:       'The target was changed here since the last promotion to it. Applying replaces that change: leave the field out with `only`, or mark it as meant to differ, to keep it.',
  begins_disabled:    'The new object begins switched off. Switch it on in the target when it is ready.',
  secret_made:        'A new secret is made and shown once, in the answer of the call that applies the plan. Give it to the program.',
  secret_ends:        'The client secret ends with its method. The program must authenticate by the new method from then on.',
  people_lose_way_in: 'People have no way in but the one that is closed. Leave it on until they have a second way in.',
  people_gain_access: 'Users gain permissions. A role gives more, everyone has it, or a resource server requires no roles any more: they have them from the next request on, so apply the plan only if they should.',
  people_lose_access: 'Users lose permissions. A role gives less or is deleted, not everyone has it any more, a scope is gone, or a resource server requires roles from then on: give those who still need them a role first.',
  looks_like_rename:  'A new slug stands beside an object that only the target has, with the same name and type. If it is the same object, give it that slug: a slug never changes.',
  irreversible:       'The plan deletes an object, so the promotion cannot be reverted. Apply it only where that is meant.',
}

// biome-ignore format: this table is read by column
export const conflictExplanations: Record<RevertConflict['code'], string> = {
  edited:  'It has changed since. For a revert, leave it as it is now with `leave`, or change it back first; for a plan, plan again.',
  deleted: 'The object was deleted since. Leave it out of the revert with `leave`.',
  in_use:  'People or applications use what the promotion created. Leave it with `leave`, or end the use first.',
}
