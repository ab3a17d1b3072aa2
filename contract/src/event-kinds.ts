/**
 * The kinds of events, one row each, in the order in which they are listed. The name and the meaning of a kind never change. Each also has
 * an example, which is recorded from a service (`event-examples.json`).
 */
interface KindOfEvent {
  /** The event in words, as a list shows it. */
  readonly label: string
  /** When it is recorded. */
  readonly when: string
  /** Its use for a receiver. */
  readonly use: string
}

const copies = 'Bring your copy up to date: read the object by its id.'
const audited = 'For a log of your own. The audit log has the change with its actor, too.'

// biome-ignore format: this table is read by column
export const event_kinds = {
  'user.created':                 { label: 'A user was created',                        when: 'An account begins: by the API, a sign-up, a provider or an invitation.', use: 'Create the record that belongs to `user_id`, or greet the person. `left_out` says why the user name of a provider was not taken.' },
  'user.updated':                 { label: 'A user was changed',                        when: 'A field of the account changes. `changed` names them.', use: copies },
  'user.deleted':                 { label: 'A user was deleted',                        when: 'The account is erased: by the API, by its person, or since its time has come. Earlier events of it lose their data.', use: 'Delete what you keep about `user_id`, or about `data.sub`.' },
  'user.closed':                  { label: 'A user was deleted, and can be restored',   when: 'The account is deleted where `users.deletion_grace_days` is above 0. All its sessions and tokens have ended. `deletes_at` is when it is erased.', use: 'Stop what runs for the person, and delete nothing yet.' },
  'user.restored':                { label: 'A deleted user was restored',               when: 'The API or the person takes the deletion back.', use: 'Undo what you did at `user.closed`.' },
  'user.blocked':                 { label: 'A user was blocked',                        when: 'The API blocks the account. All its sessions and tokens have ended.', use: 'Stop what runs for the person.' },
  'user.unblocked':               { label: 'A user was unblocked',                      when: 'The account may sign in again.', use: 'Undo what you did at `user.blocked`.' },
  'user.approval_requested':      { label: 'A person waits for an approval',            when: 'A sign-up makes an account that waits (`sign_up.mode: approval`). `user.created` comes with it.', use: 'Decide, or ask who decides: `POST …/users/{user_id}/approve` or `…/refuse`. Unless you do, the account is deleted after 30 days.' },
  'user.email_verified':          { label: 'A user verified an email',                  when: 'A person verifies an address, by a code, a link, or at a provider that is trusted for it.', use: 'From now on the address counts: send mail to it, or join an organization by its domain.' },
  'user.method_added':            { label: 'A user got another way to sign in',         when: 'An account gets a password, or is linked with a provider.', use: 'Nothing in most cases; the person gets a mail.' },
  'session.created':              { label: 'A session began',                           when: 'A browser is signed in.', use: 'Count active people, or look for places that are new for a person.' },
  'session.ended':                { label: 'A session ended',                           when: 'A session ends by its person, the API, or since the person has too many (`replaced`). `reason` says which.', use: 'End your own session with that `session_id`. Back-channel logout does the same without a webhook.' },
  'sign_in.succeeded':            { label: 'A sign-in succeeded',                       when: 'A person passes all steps of a sign-in.', use: 'A record of who signed in, how and from where.' },
  'sign_in.failed':               { label: 'A sign-in failed',                          when: 'A password, code, passkey or provider is refused. `reason` is a word.', use: 'Look for attacks. `user_id` is `null` where no account was meant.' },
  'mfa.enrolled':                 { label: 'A second factor was enrolled',              when: 'An authenticator app, recovery codes or a passkey is added.', use: 'Nothing in most cases; the person gets a mail.' },
  'mfa.removed':                  { label: 'A second factor was removed',               when: 'One of them is removed, by the person or the API.', use: 'Ask the person again before what is dear to them.' },
  'trusted_browser.added':        { label: 'A browser was trusted',                      when: 'A person uses a second factor and chooses not to be asked for it in this browser for some days.', use: 'A record of where a sign-in of one factor is enough.' },
  'trusted_browser.removed':      { label: 'A browser is trusted no longer',             when: 'The person or the API removes it. A new password, a changed factor, a block and the end of all sessions remove all of a person without this event.', use: 'Nothing in most cases: the next sign-in there asks for the second factor.' },
  'consent.granted':              { label: 'A person gave consent',                     when: 'A person allows an application what it asks for.', use: 'A record of what was allowed, and when.' },
  'consent.revoked':              { label: 'A consent was revoked',                     when: 'A person or the API takes the consent back. The grants of the application have ended.', use: 'Stop what the application did for the person.' },
  'token.reuse_detected':         { label: 'A spent token was used again',              when: 'A code or a refresh token that was spent is used again. Its grant has ended.', use: 'A token may have been stolen: tell the person, and look at the address of the call.' },
  'application.created':          { label: 'An application was created',                when: 'An application is registered.', use: audited },
  'application.updated':          { label: 'An application was changed',                when: 'A field of an application changes.', use: audited },
  'application.deleted':          { label: 'An application was deleted',                when: 'An application is deleted with its grants.', use: audited },
  'application.secret_rotated':   { label: 'A client secret was rotated',               when: 'The client secret is replaced. Every other one has ended.', use: 'Check that the program has the new one.' },
  'application.secret_added':     { label: 'A client secret was added',                 when: 'A second client secret is added. The first one keeps working.', use: 'Move the program to the new one, then delete the first.' },
  'application.secret_deleted':   { label: 'A client secret was deleted',               when: 'One client secret is deleted, and has ended. The others go on.', use: 'Check that no program still has it.' },
  'application.secret_expiring': { label: 'A client secret ends soon',                  when: 'A client secret ends in 30, 7 or 1 days: `days` says which. It comes once for each; another `expires_at` begins again.', use: 'Add a second secret and move the program to it.' },
  'auth_key.expiring':           { label: 'A key ends soon',                            when: 'A key of the environment ends in 30, 7 or 1 days: `days` says which. It comes once for each; another `expires_at` begins again.', use: 'Create another key and move the program to it, or change the end.' },
  'provider.secret_expiring':    { label: 'A secret at a provider ends soon',           when: 'The time in `secret_expires_at` of a provider comes in 30, 7 or 1 days: `days` says which. It comes once for each; another time begins again.', use: 'Make another secret at the provider, and store it here with its end.' },
  'resource_server.created':      { label: 'A resource server was created',             when: 'An API is registered.', use: audited },
  'resource_server.updated':      { label: 'A resource server was changed',             when: 'A field of it changes, such as its scopes.', use: audited },
  'resource_server.deleted':      { label: 'A resource server was deleted',             when: 'It is deleted: no token is issued for it any more.', use: audited },
  'role.created':                 { label: 'A role was created',                        when: 'A role is created.', use: audited },
  'role.updated':                 { label: 'A role was changed',                        when: 'A field of it changes, such as its permissions. It counts for every holder.', use: audited },
  'role.deleted':                 { label: 'A role was deleted',                        when: 'It is deleted: everyone who had it has lost it. No event of a user follows.', use: 'Take the role away where your service keeps it.' },
  'metadata_client.created':      { label: 'A client connected by its address',         when: 'A record of a metadata client is added: by an administrator or a key, or by the first person who allows it something. `added_by` says which.', use: audited },
  'metadata_client.updated':      { label: 'A client by address was changed',           when: 'It is approved, disabled or enabled, or its document was read with other content. `changed` names the fields.', use: audited },
  'metadata_client.deleted':      { label: 'A client by address was deleted',           when: 'Its record is deleted with its grants, also to make room for a new one.', use: audited },
  'organization.created':         { label: 'An organization was created',               when: 'An organization is created. Its first members have events of their own.', use: 'Create the record of the customer.' },
  'organization.updated':         { label: 'An organization was changed',               when: 'A field of it changes, such as `disabled`. `changed` names them.', use: copies },
  'organization.deleted':         { label: 'An organization was deleted',               when: 'It is deleted with all members. No event of a member follows.', use: 'Delete what you keep about `organization_id`.' },
  'organization_member.added':    { label: 'A member was added to an organization',     when: 'A user becomes a member. `administrators` counts the members who hold a role that administers and are not blocked, to 1,000.', use: 'Give the person what members have.' },
  'organization_member.updated':  { label: 'A member of an organization was changed',   when: 'The roles of a member change. `roles` are those of now and `previous_roles` those before, without those that every member has. `actor` is who changed them: a key, an administrator, or a member on the page of the organization.', use: copies },
  'organization_member.removed':  { label: 'A member left an organization',             when: 'A member is removed. A user or an organization that is deleted has an event of its own.', use: 'Take away what members have. At `administrators: 0` nobody administers the organization.' },
  'organization_invitation.created':  { label: 'An address was invited to an organization',     when: 'An invitation is created. `data` has no address: read the invitation for it.', use: audited },
  'organization_invitation.accepted': { label: 'An invitation to an organization was accepted', when: 'A person accepts: the event of the new member comes with it.', use: 'Mark the invitation as used where you show it.' },
  'organization_invitation.ended':    { label: 'An invitation to an organization ended',        when: 'It is deleted, declined or replaced: `reason` says which. One that expires, or ends with its organization or its inviter, has no event.', use: 'Offer to invite again.' },
  'provider.created':             { label: 'A provider was created',                    when: 'A provider is set up.', use: audited },
  'provider.updated':             { label: 'A provider was changed',                    when: 'A field of it changes.', use: audited },
  'provider.deleted':             { label: 'A provider was deleted',                    when: 'It is deleted: nobody signs in by it any more.', use: audited },
  'environment.settings_updated': { label: 'The settings were changed',                 when: 'Settings change. `changed` names the groups.', use: audited },
  'promotion.applied':            { label: 'A promotion was applied',                   when: 'A promotion changes the configuration of this environment. `created`, `updated` and `deleted` name the objects, each of which has its own event, too.', use: 'A record of what was brought here, from where and why (`note`).' },
  'promotion.reverted':           { label: 'A promotion was reverted',                  when: 'A promotion to this environment is taken back.', use: 'The same, for what went back.' },
  'auth_key.created':             { label: 'A key was created',                         when: 'A key is created.', use: audited },
  'auth_key.rotated':             { label: 'A key was rotated',                         when: 'A key is replaced. The old one has ended.', use: 'Check that the program has the new one.' },
  'auth_key.revoked':             { label: 'A key was revoked',                         when: 'A key ends.', use: audited },
  'mail.sent':                    { label: 'A mail was sent',                           when: 'The mail server has accepted a mail, or Test has captured it.', use: 'Nothing in most cases.' },
  'mail.failed':                  { label: 'A mail could not be sent',                  when: 'A mail could not be delivered: at its first failure, and when it is given up (`final`).', use: 'At `final`, look at `reason`: `auth` and `tls` concern your settings, `rejected` the address.' },
  'signing_key.rotated':          { label: 'A signing key was rotated',                 when: 'The next signing key is published, or begins to sign before its time. It signs from `signs_from` on.', use: 'Nothing where a library reads the JWKS. A copy of it is fetched again before that time.' },
  'webhook.disabled':             { label: 'A webhook was switched off by the service', when: 'The service switches a webhook off: its receiver answered 410, or failed for five days.', use: 'Mend the receiver, enable the webhook, and resend what was given up and what was missed. Watch it by another webhook.' },
  'test.ping':                    { label: 'A test event',                              when: 'An administrator or a key sends a test event to a webhook. It goes to that one alone.', use: 'Answer 2xx.' },
} as const satisfies Record<string, KindOfEvent>

export const eventKinds = Object.keys(event_kinds) as (keyof typeof event_kinds)[] // as: the keys of a const object
