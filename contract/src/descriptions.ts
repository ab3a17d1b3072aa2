/** Describes each operation for the API reference: one entry for each row of the tables, else a type error. `openapi.ts` adds the rest. */
import type { oidcRoutes, routes, serviceRoutes } from './routes.ts'

type RowName = keyof typeof routes | keyof typeof oidcRoutes | keyof typeof serviceRoutes

export const descriptions: Record<RowName, string> = {
  whoami: 'Shows which key the request carries, what it can do, and the address from which the service sees the request.',
  authConfig:
    'Everything that a page needs to offer sign-in: the issuer, the public applications, the methods and the branding. The answer can be cached for 60 s.',
  validateToken:
    'Asks whether an access token of the environment is valid now, with sign-outs, blocks and revocations taken into account. The answer is always 200; `reason` says why a token is inactive.',

  listAuthUsers:
    'Lists the users of the environment, newest first or by the day of the last sign-in. `email` finds one user; `sub` finds the user whom a token names; `query` finds parts of emails, names, phone numbers, ids and `sub`s. With words or filters a page can have fewer objects than `limit` although more follow. As `text/csv` it is every user that they leave, a line each; a cell that a spreadsheet would compute begins with an apostrophe.',
  createUserJob:
    'Begins a job that does the same to up to 10,000 users, each once, and answers at once with its `Location`. It goes on after a restart. At most 20 jobs of an environment wait or run.',
  getUserJob: 'Gets a job over users: how many are done, failed, or no users here. It is kept for seven days after its end.',
  createUser:
    'Creates a user. Without a password the user cannot sign in by password until one is set. `password_hash` brings a password from another system.',
  getAuthUser: 'Gets one user of the environment.',
  getAuthUserAccess:
    'Says which roles count for the user now, and which scopes of each resource server a new access token could have: for each scope the roles that give it. A blocked user has neither.',
  changeUser:
    'Changes the named fields; `metadata` and `claims` are merged with what is stored. A new password ends all sessions and grants of the user. A new email or phone number counts as unverified unless the same request says otherwise.',
  deleteUser: 'Deletes the user with all sessions and grants. The email can be used again.',
  blockUser: 'Keeps the user from signing in and ends all sessions and tokens at once. To block a blocked user changes nothing.',
  restoreUser:
    'Takes back the deletion of a user who is not erased yet (`deletes_at`), and mails that to the person. Ended sessions and tokens stay ended. To restore a user who is not deleted changes nothing; once the time has come it is 404.',
  approveUser:
    'Lets a user in whose account waits after a sign-up (`approval`), and mails that to the person. For any other account it is 409 `not_waiting`.',
  refuseUser:
    'Refuses a user whose account waits after a sign-up, and mails that to the person. The account is deleted 30 days later. For any other account it is 409 `not_waiting`.',
  unblockUser: 'Lets a blocked user sign in again. Ended sessions and tokens stay ended.',
  listUserSessions:
    'Lists the sessions of a user that can be ended, newest first. One whose `expires_at` has passed signs nobody in any more, but tokens of it may be valid.',
  getSession: 'Gets one session that can be ended: it has not ended, and its absolute limit has not passed or it still has tokens.',
  endSession: 'Ends a session. Its tokens stop working, and its applications get a back-channel logout.',

  listAuthOrganizations:
    'Lists the organizations of the environment, newest first. `slug` and `external_id` find one; `query` searches names, slugs and external ids, and then a page can have fewer objects than `limit` although more follow.',
  createOrganization:
    'Creates an organization: a customer of your product. With `members` its first members are added in the same change, all or none. An `external_id` that another one has is `identifier_taken`. An environment has at most 100,000 organizations and a user is a member of at most 5,000, unless the deployment changed `organizations` and `organizations_per_user` of `OSTIARY_LIMITS`; over it the call is `quota_exceeded`.',
  getAuthOrganization: 'Gets one organization of the environment.',
  changeOrganization:
    'Changes the named fields; `metadata` and `claims` are merged with what is stored. While an organization is disabled, nobody acts in it.',
  deleteOrganization: 'Deletes an organization with all its members, at once. Its slug and its external id can be used again.',
  listAuthOrganizationMembers:
    'Lists the members of an organization, the last added first. `role` finds those to whom a role was given; `query` searches names, emails and phone numbers, and then a page can have fewer objects than `limit` although more follow.',
  addOrganizationMember:
    'Makes a user of the environment a member of the organization, with at most 20 roles. A user who is a member already is `already_member`. An organization has at most 100,000 members and a user is in at most 5,000 organizations (`members_per_organization` and `organizations_per_user` of `OSTIARY_LIMITS`); over it the call is `quota_exceeded`.',
  getAuthOrganizationMember: 'Gets one member of an organization.',
  changeOrganizationMember:
    'Replaces the roles of a member, at most 20. The change counts from the next request on. An unknown role, one of users or a repeated one is refused at its place in `roles`.',
  removeOrganizationMember: 'Removes a member. To add the user again makes another membership.',
  listAuthOrganizationInvitations:
    'Lists the invitations to an organization, newest first. With `status` a page can have fewer objects than `limit` although more follow.',
  inviteToOrganization:
    'Invites an address to an organization. The person opens the link, signs in or creates an account for the address, and accepts; an account that has not proved the address enters a code that is mailed to it. A pending invitation to the same address ends. An environment that sends no mail answers `mail_not_set_up`, also with `send_email: false`. An organization has at most 500 pending invitations and 200 a day, and an address gets 3 a day from the environment (`organization_invitations_pending`, `organization_invitations_per_day` and `organization_invitations_per_address` of `OSTIARY_LIMITS`); over it the call is `quota_exceeded`.',
  getAuthOrganizationInvitation: 'Gets one invitation to an organization.',
  deleteOrganizationInvitation: 'Withdraws a pending invitation. Its link stops working. One that is accepted or has ended is 404.',
  resendOrganizationInvitation:
    'Makes a new link for a pending invitation and ends the old one. It is mailed if the first one was, and counts as an invitation of the day: over a limit of invitations the call is `quota_exceeded`, and an environment that sends no mail answers `mail_not_set_up`.',
  listAuthUserOrganizations: 'Lists the memberships of a user, each with its organization, the newest organization first.',

  listProjects: 'Lists the projects of the tenant, newest first.',
  createProject: 'Creates a project with two environments, `test` and `live`. Each has its own issuer, users, keys and settings.',
  getProject: 'Gets one project.',
  changeProject:
    'Changes the name of a project, whether its plans to a Live environment need an approval (`promotion.require_approval`), or how old the sign-in of an administrator may be for calls that need a fresh one (`fresh_sign_in`): administrators with the role admin alone change these two. The slug never changes.',

  listEnvironments: 'Lists the environments of a project, newest first.',
  createEnvironment:
    'Creates one more environment of the type `test` or `live`, whose issuer can have a host of its own. Neither ever changes.',
  getEnvironment: 'Gets one environment with its issuer.',
  changeEnvironment:
    'Changes the name of an environment, or what is meant to differ from other environments (`keeps`). A change of `keeps` raises `config_version`.',

  createPromotion:
    'Plans to bring the configuration of an environment, or of a document, to another environment of the project: every change field by field, and what stands in its way. Nothing changes. From another environment, or a document that names one, only fields that travel come; `values` are those of the target. A document that names the target or none is its own, and applies as written. `dry_run` answers 200 and stores nothing. A plan that is not applied is kept for 7 days, and a project keeps its newest 100, up to 32 MB; approved ones give way last. A document has at most 1,000 objects, and a plan 4,000,000 bytes. A project stores 120 plans an hour, where a plan counts once for each 200,000 bytes.',
  listPromotions: 'Lists the promotions of a project, newest first, each with its plan in numbers.',
  approvePromotion:
    'Approves a plan to a Live environment of a project that asks for it (`promotion.require_approval`). The administrator who planned it cannot approve it. A plan that is out of date or has errors cannot be approved.',
  applyPromotion:
    'Applies a plan as one change: all of it happens, or nothing. It is refused if the source or the target has changed since the plan. `secrets` gives the values of `needed_secrets`; a stored one can be left out. A key needs the write scope of each kind in `changes`. In Live an administrator needs the role admin. Client secrets and secrets of webhooks that it makes are in `secrets`, once. An environment has 120 applies and reverts an hour, where an apply counts once for each 200,000 bytes of its plan, and at most 5,000 applied promotions with 256 MB of plans, each for 90 days: above that an apply to it is 429.',
  revertPromotion:
    'Gives every changed field its former value and deletes what the promotion created. It is refused where a field, or a created object, has changed since, and where a created object is used; `leave` leaves these as they are now. A secret that ended never comes back: where a method needs one again, it is made and shown once. `dry_run` answers what would change and stands in the way. A promotion that deleted objects cannot be reverted. An environment has 120 applies and reverts an hour.',
  getPromotion: 'Gets one promotion. A key also needs the read scope of each kind that the plan names.',

  getSettings: 'Gets the settings of an environment as one document in groups, with defaults filled in.',
  changeSettings:
    'Changes the named settings. `null` restores the default of a field or of a whole group. A change counts from the next request on, in every process.',

  getConfiguration:
    'Gets the settings and the objects of an environment as one document, every field with its value in effect and objects by their slugs. It has no ids, times and secrets; a secret that is set appears by name. Equal configurations are equal byte for byte, and the ETag is the `config_version` of the environment.',

  listMetadataClients: 'Lists the clients whose client id is the URL of a document about themselves, newest first.',
  createMetadataClient:
    'Reads the document at the URL and adds a record of the client. With the setting `oauth.metadata_clients` at `listed`, people can then connect it. It works in every mode, before the setting is changed too.',
  getMetadataClient: 'Returns a metadata client as its document was when it was read last.',
  changeMetadataClient:
    'Approves the URL, takes the approval back, disables or enables the client. What a change no longer admits ends at once: refresh tokens, access tokens at validation and UserInfo. It stays ended when the client is enabled again.',
  deleteMetadataClient:
    'Deletes the record and ends all grants of the client. With `oauth.metadata_clients` at `any`, people can connect it again: disable it to keep it out.',
  readMetadataClient: 'Reads the document again at once. A document that cannot be read or is not valid changes nothing.',
  listApplications:
    'Lists the applications of an environment, newest first or by name. With `activity=true` each has the last sign-in and the people of 30 days, from events and grants: numbers with a bound, which cost reading.',
  createApplication:
    'Creates an application, which is an OAuth client. A web application with a secret gets `client_secret`, which no later call returns. With `template` and `url` the fields that the body does not have come from the template of a product.',
  getApplication: 'Gets one application.',
  changeApplication: 'Changes the named fields of an application. The next authorization request uses them.',
  deleteApplication: 'Deletes an application. Its grants end, so its refresh tokens and opaque access tokens stop working.',
  getApplicationImpact:
    'Counts the live grants of an application, their people and its token requests of 30 days. Read it before you delete or disable the application.',
  rotateClientSecret:
    'Makes a new client secret and ends every other one at once. Deploy the new secret without delay; to replace one without a refused call, add a second one instead.',
  listClientSecrets:
    'Lists the secrets that the application can authenticate with, newest first, at most two. An expired one stays until it is deleted.',
  addClientSecret:
    'Adds a secret beside the one that is there, and both work. Move every caller to the new one, then delete the first. An application has at most two; an expired one counts until it is deleted.',
  getClientSecret: 'Returns a client secret. `last_used_at` says whether a caller still has it.',
  deleteClientSecret:
    'Deletes a client secret. From the answer on every call with it is refused. What people allowed the application goes on with the other secret.',

  listResourceServers: 'Lists the resource servers of an environment, newest first.',
  createResourceServer: 'Registers an API, so that applications can request access tokens for it by `resource`.',
  getResourceServer: 'Gets one resource server.',
  changeResourceServer: 'Changes the named fields. Issued tokens keep their scopes and lifetime.',
  deleteResourceServer: 'Deletes a resource server. No new tokens are issued for it; issued ones stay valid until they expire.',

  getResourceServerImpact:
    'Counts the live grants for a resource server, or with one scope of it, their people and the access tokens of 30 days.',
  listRoles: 'Lists the roles of an environment, newest first.',
  createRole:
    'Creates a role: a named set of scopes of resource servers. It gives nothing until a user has it, unless it is `default`. An environment has at most 200 roles and a role at most 1,000 scopes (`roles` and `role_permissions` of `OSTIARY_LIMITS`), over which the call is `quota_exceeded`; at most five roles of a kind are `default`.',
  getRole: 'Gets one role.',
  changeRole:
    'Changes the named fields; `permissions` is replaced as a whole. The change counts for every holder from the next request on. To send the same `permissions` names their resource servers and scopes again, which matters where one was deleted and made again.',
  previewRole:
    'Checks a change of a role as the change would be, stores nothing, and says which scopes people would gain and lose, and how many people. A deletion takes what `{"permissions": [], "default": false}` takes. `without_effect` is about the role as it is stored.',
  deleteRole: 'Deletes a role. Everyone who has it loses it at once. A later role with its slug is another role.',

  listAuthKeys: 'Lists the publishable and secret keys of an environment, newest first, revoked ones included.',
  createAuthKey: 'Creates a publishable or a secret key. `key` is the plaintext, which no later call returns.',
  getAuthKeyImpact: 'Counts the calls with a key in the last 30 days. Read it before you revoke or rotate the key.',
  getAuthKey: 'Gets the record of one key, without its plaintext.',
  changeAuthKey:
    'Changes the label, the origins, the addresses, the rate limit or the expiry of a key. The change counts from the next request on.',
  revokeAuthKey: 'Ends a key at once and for good. Its record stays readable. To revoke a revoked key changes nothing.',
  rotateAuthKey:
    'Replaces the plaintext of a key and keeps its id and settings. The old plaintext stops working before the response is sent.',

  listUsers:
    'Lists the users of an environment, for platform keys and administrators. Words and filters can make pages short, as in the list of the runtime API.',
  getUser: 'Gets one user of an environment, for platform keys and administrators.',
  getUserAccess:
    'Says which roles count for the user now, and which scopes of each resource server a new access token could have, for platform keys and administrators. A blocked user has neither.',
  traceSignIns:
    'Says what is known of the last seven days about a person, by the address or the user id: factors, the answers of providers, refusals with their reason, and the field that decided each; and what keeps the person from signing in now. The address need not have an account. A key also needs `environments:read` and `webhooks:read`, as for refused calls and events.',
  listUserOrganizations:
    'Lists the memberships of a user, each with its organization, for platform keys and administrators. The newest organization is first.',

  listOrganizations:
    'Lists the organizations of an environment, newest first, for platform keys and administrators. `query` can make pages short, as in the list of the runtime API.',
  getOrganization: 'Gets one organization of an environment, for platform keys and administrators.',
  listOrganizationMembers:
    'Lists the members of an organization, the last added first, for platform keys and administrators. `query` can make pages short, as in the list of the runtime API.',
  getOrganizationMember: 'Gets one member of an organization, for platform keys and administrators.',
  listOrganizationInvitations:
    'Lists the invitations to an organization, newest first, for platform keys and administrators. `status` can make pages short, as in the list of the runtime API.',
  getOrganizationInvitation: 'Gets one invitation to an organization, for platform keys and administrators.',

  listInbox: 'Lists the mail that a Test environment kept instead of sending it, newest first.',
  getInboxMail: 'Gets one captured mail with its text, its code and its link.',

  listEvents:
    'Lists the events of an environment, newest first. With `after`, it lists the later events oldest first: keep the last `sequence` and ask again.',

  listProviders: 'Lists the identity providers of an environment, newest first.',
  createProvider: 'Adds an identity provider, such as Google or an OpenID Provider of a company. Register `callback_url` there.',
  getProvider: 'Gets one identity provider, without its secrets.',
  changeProvider: 'Changes the named fields. A secret that is not named stays.',
  checkProvider:
    'Reads the metadata and the keys of the provider now, and says what fails. The client id and secret are tried by a sign-in alone. An environment has 10 checks an hour.',
  getProviderImpact:
    'Counts the live grants that began at a provider, the people who are linked with it, those of them without another way in, and the sign-ins of 30 days.',
  deleteProvider:
    'Deletes a provider and the links of users to it. The users stay; the sessions and grants that began with it end, and the event `user.updated` is raised for each link.',

  listWebhooks: 'Lists the webhooks of an environment, newest first.',
  createWebhook:
    'Registers a URL that gets events as signed POST requests (Standard Webhooks). `secret` verifies their signatures, and no later call returns it.',
  getWebhook: 'Gets one webhook with the state of its deliveries.',
  changeWebhook: 'Changes the named fields. `disabled: false` resumes the deliveries of a webhook that the service disabled.',
  deleteWebhook: 'Deletes a webhook. Its deliveries are out of reach at once, and are removed after the answer.',
  rotateWebhookSecret:
    'Makes a new secret. The secret before it signs for 24 more hours, even after another rotation, so receivers can switch without a gap. At most five earlier secrets sign.',
  testWebhook:
    'Sends the event `test.ping` to the webhook. Its delivery is in the list of deliveries. A disabled webhook gets no attempt: its delivery is given up at once.',
  listDeliveries: 'Lists the deliveries of a webhook with their attempts, newest first.',
  resendDelivery:
    'Sends one message again, with the same `webhook-id`. A message that waits for a retry is sent now, and its schedule of retries begins again. For a disabled webhook it is given up without an attempt.',
  resendSince:
    'Sends messages since a time again, for example after an outage of the receiver. Those that wait for their first attempt keep their place in the order. With `missed` it makes the messages of events that came while the webhook was disabled or did not exist, in the order of `sequence`, as far as events are kept.',

  getStatistics:
    'Counts sign-ins, tokens, webhook attempts, uses of keys and refused calls per hour or day (UTC). Intervals without any are omitted.',

  listNames:
    'Says what people call the objects of the ids: the email of a user, the name of an application, the label of a key. Ids that do not exist, or that the caller may not read, are left out. A key needs the scope that reads the object, such as `users:read`; an administrator needs the role `developer` for users.',

  listSigningKeys: 'Lists the signing keys of an environment with their states.',
  rotateSigningKey:
    'Publishes the next signing key of an algorithm. It signs once every cached key set has expired, so no verifier fails. With `now` the key that waits signs at once: read its `readers` first. The keys of the other algorithm stay as they are.',

  me: 'Shows the administrator who calls, and the tenants with their roles.',
  lookup: 'Finds where an object belongs, from its id alone, if it is in a tenant of the administrator.',
  listTenants: 'Lists the tenants in which the administrator is a member, newest first.',
  createTenant: 'Creates a tenant. The administrator becomes its owner.',
  getTenant: 'Gets one tenant.',
  changeTenant: 'Changes the name of a tenant. The slug never changes.',

  listMembers: 'Lists the members and the pending invitations of a tenant, newest first.',
  getMember: 'Gets a member by the id of the user, or a pending invitation by its own id.',
  addMember:
    'Invites a person. The link is mailed, or returned once as `invitation_url` if the root environment has no mail. It is valid for 7 days.',
  changeMember: 'Changes the role of a member or of a pending invitation. Nobody can grant a role above their own.',
  removeMember: 'Removes a member or withdraws an invitation. The last owner cannot leave.',
  resendInvitation: 'Makes a new link for a pending invitation and ends the old one.',
  listAuditLog:
    'Lists the changes in a tenant, newest first. As `application/jsonl` it is the complete log, oldest first, which `hash` and `previous_hash` verify.',

  listPlatformKeys: 'Lists the platform keys of a tenant, newest first, revoked ones included.',
  createPlatformKey: 'Creates a platform key with scopes. `key` is the plaintext, which no later call returns.',
  getPlatformKey: 'Gets the record of one platform key, without its plaintext.',
  changePlatformKey:
    'Changes the label, the scopes, the addresses, the rate limit or the expiry of a key. The change counts from the next request on.',
  revokePlatformKey: 'Ends a platform key at once and for good. Its record stays readable. To revoke a revoked key changes nothing.',
  rotatePlatformKey:
    'Replaces the plaintext of a key and keeps its id and settings. The old plaintext stops working before the response is sent.',

  discovery: 'The endpoints and abilities of an issuer. OpenID Connect libraries read it first. It can be cached for 5 minutes.',
  authorizationServer: 'The same document at the address of RFC 8414, for OAuth libraries.',
  ownServer: 'The same document below the issuer. For an issuer with an origin of its own, this is the address of RFC 8414.',
  jwks: 'The public keys that verify tokens. Cache them, and read them again when a token has an unknown `kid`.',
  authorize: 'Starts a sign-in in the browser. It shows a page, or returns to `redirect_uri` with a code or an error.',
  authorizeByPost: 'The same request as a form, for requests that are too long for a URL.',
  token:
    'Exchanges a code or a refresh token for tokens. A code works once; a refresh token is replaced by each use, and a second use of an old one ends the grant.',
  userinfo: 'Returns the claims of the user that the scopes of the access token cover.',
  userinfoByPost: 'The same as a form with the access token in it.',
  revoke: 'Revokes an access token, or ends the grant of a refresh token. The answer is the same for an unknown token.',
  logout: 'Signs a person out and returns to the application. Without a fitting ID token a page asks first.',
  logoutByPost: 'The same request as a form.',
  signIn: 'The form of the sign-in page.',
  showCodePage: 'Asks for an emailed code. It can be loaded again: that sends nothing, and ends no code.',
  enterCode: 'The form of the page that asks for an emailed code.',
  showForgotPassword: 'The page on which a person asks for a link to reset a password. Its query is that of the authorization request.',
  forgotPassword: 'The form of that page. The answer is the same for an unknown address.',
  showLink: 'The page to which a mailed link leads. It changes nothing.',
  useLink: 'The button of that page: it verifies the address, or opens the page for a new password.',
  showNewPasswordPage: 'Asks for a new password behind a mailed link, or says that it is saved. It can be loaded again.',
  newPassword: 'The form of the page for a new password. It signs nobody in.',
  signUp: 'The form of the sign-up page.',
  openEnrolmentCode: 'The address of a form that was answered with its page leads back to the step.',
  openEnrolTotp: 'The address of a form that was answered with its page leads back to the step.',
  openEnrolPasskey: 'The address of a form that was answered with its page leads back to the step.',
  showSecondFactorPage: 'Asks for the second factor of a sign-in that has its first one, or shows its enrolment.',
  secondFactor: 'The form of the second factor: a code of an authenticator app, or a recovery code.',
  enrolmentCode: 'The form with the code that is mailed before a person enrols their first second factor.',
  enrolPasskey: 'The form that adds a passkey as the second factor of a sign-in: the response of an authenticator in `credential`.',
  enrolTotp: 'The form that adds an authenticator app in a sign-in. It redirects to the page of the recovery codes.',
  showRecoveryCodes:
    'Shows new recovery codes to the browser that made them, until the person confirms to have them, for 10 minutes at most.',
  confirmRecoveryCodes: 'The form of that page: the person has the codes, and they are not shown again.',
  signInByPasskey: 'The form of the sign-in page with the response of an authenticator: the JSON of WebAuthn, unchanged, in `credential`.',
  offerPasskey:
    'The form of the page that offers a passkey: the response of an authenticator in `credential`, or `decision=not-now`. With `automatic` the browser created the passkey by itself, and the sign-in goes on whatever comes of it.',
  selectAccount: 'The form of the account chooser.',
  selectOrganization: 'The form of a person who chooses the organization to act for, or looks for it in the list.',
  saveProfile:
    'The form of the page that asks a person without a name for one (`sign_up.name`): `name`, or `decision=not-now` where it can stay empty.',
  consent: 'The form of the consent page.',
  federate: 'The form of the provider buttons: it sends the browser to the provider.',
  signedOut:
    'Where an identity provider returns to after a sign-out that led there. Register it at the provider. It goes on to where the sign-out was going.',
  callback: 'Where an identity provider returns to. Register it at the provider.',
  callbackByPost: 'Where a provider returns to that answers by a form, such as Apple.',
  providerLogout:
    'Where an OpenID Provider sends its logout tokens (Back-Channel Logout 1.0). The sessions that began there end, with their grants, and their applications get logout tokens. The answer is 200 where there was none. An address has 60 calls a minute.',
  showInvitation: 'The page to which the link of an invitation leads.',
  acceptInvitation: 'The form of the invitation page.',
  showInvitationCode: 'The page that asks for the code which proves the address of an invitation to an organization.',
  enterInvitationCode: 'The form of the page for the code of an invitation.',
  leadFromIssuer: 'The address that people know leads to their account.',
  leadFromRoot: 'The same with a slash at its end, as an issuer with a host of its own has it.',
  leadToPasswordChange:
    'Where password managers send a person who changes a password (A Well-Known URL for Changing Passwords). It leads to the form on the account page, or to the account page itself where the environment has no passwords.',
  showAccount: 'The page where people see and change their own account. Without a session it shows the sign-in page and returns.',
  changeOwnName: 'The form of the profile on the account page.',
  changeOwnEmail:
    'The forms that change the email: the new one, the code that was mailed to it, a new code, or the end of the change (`step`). The change takes effect once both ends have confirmed it, and ends all other sessions and grants of the person.',
  confirmOwnEmail: 'The forms that verify the present email: send a code, or enter it (`step`).',
  changeOwnPassword: 'The form of the password on the account page. A new password ends all other sessions and grants of the person.',
  addOwnPasskey: 'The form that adds a passkey. It posts the response of the authenticator.',
  addOwnTotp:
    'The form that adds an authenticator app. With the first app it redirects to its recovery codes, with another to the account page.',
  renewOwnCodes: 'The form that replaces the recovery codes. It redirects to the new ones.',
  addOwnProvider:
    'The button that connects a provider. It redirects there, and the callback links the identity unless another account has it.',
  removeOwnMethod:
    'The form that removes a sign-in method. The last way to sign in cannot be removed, nor the last second factor where one is required.',
  endOwnSession: 'The button that ends a session on another device.',
  removeOwnTrustedBrowser: 'The button that ends the trust in a browser: the second factor is asked for there again.',
  endOtherSessions: 'The button that ends all sessions and grants but those of this session.',
  showOwnOrganization:
    'The page of an organization: for each member their own roles, for those who administer it the members and invitations.',
  changeOwnOrganization:
    'The forms of the page of an organization. A member gives, takes and invites with what they have themselves, and with nothing else.',
  answerOwnInvitation: 'The buttons that accept or decline an invitation to an organization.',
  leaveOrganization: 'The form that leaves an organization.',
  disconnect: 'The button that ends the consent and all grants of an application.',
  exportOwnData:
    'The button that downloads what is stored about the person: `user`, `roles`, `sessions`, `methods`, `grants`, `consents`, `events`.',
  deleteOwnAccount: 'The form that deletes the account. It takes the email as a confirmation.',
  signOut: 'The form of the sign-out page.',

  healthz: 'For a supervisor: the process runs and answers. It does not touch the database.',
  readyz:
    'For a load balancer: 200 if the service takes requests, 503 while the database is unreachable, its schema is not the one of this version, or the service is stopping. A database that can be read and takes no changes leaves it 200 with `writes: failing`; with `writes=1` it is 503 then.',
  protectedResource: 'Tells a command line where an administrator gets a token: the issuer, the client and the resource to ask for.',
  openapi: 'This document, as OpenAPI 3.1 in JSON.',
  listApplicationTemplates:
    'Lists what is known about products that others wrote: how each is registered as an application, and what stands in its own configuration. `POST …/applications` takes the slug of a template with the address of the product.',
  getApplicationTemplate: 'Gets the template of one product.',
  configurationSchema:
    'The JSON Schema (2020-12) of configuration documents, for editors and pipelines: each field with its description, default, range and class.',
  forPrograms: 'The documents with a sentence on each, and their addresses as Markdown (llmstxt.org).',
  documents: 'The documents of this service, in the order to read them.',
  documentSearch:
    'Finds sections of documents, operations and error codes that have all words of `q`, at most 100 characters and 8 words. The best come first.',
  document: 'A document of the documentation. The page and the Markdown have the same text.',
  guide: 'A guide: complete commands for one kind of client or task.',
  settingsPage: 'A group of the settings: each field with its range, its default and what a change means.',
  example: 'What an example program shows, and how to run it.',
  decision: 'Why a part of the service is as it is.',
  sdkPackage:
    'The package of the client library, `ostiary-sdk-{version}.tgz`: of this version, and of the releases before it from 0.2.0 on. `npm install` takes its address. The bytes of a version never change.',
  operatorExample: 'A file of `packaging/`, with a button to copy it.',
  reference: 'Every operation with its method and path, as links to the pages of the reference. `/docs/api.md` is the same as Markdown.',
  referenceGroup:
    'The operations of one group with their parameters, fields, errors and a recorded example, or all schemas (`schemas`). With `.md` after the name it is Markdown.',
  errorIndex: 'All error codes: of the API, of OAuth, of inactive tokens and of hosted pages. `/docs/errors.md` is the same as Markdown.',
  errorPage: 'What an error code means and how to fix it. `type` of every problem is the address of such a page.',
  dashboard:
    'The web console of administrators, at this path and every one below it. The pages are one browser application, which reads and changes everything by `/dashboard/api`.',
  setup:
    'The form that creates the first tenant and its owner, for the token in the link that `ostiary serve` prints. Without the token it shows how to create them on the command line.',
  createFirst: 'Creates the first tenant and its owner, once, and leads to the dashboard.',
  dashboardSignIn:
    'Sends the browser to the issuer of administrators and back to `return_to`, a path below `/dashboard`. With `max_age` the sign-in is not older than this number of seconds.',
  dashboardCallback: 'Exchanges the code, and gives the browser the cookie of its session. The tokens stay in the service.',
  dashboardSession:
    'Tells the scripts of the dashboard who is signed in, and until when the sign-in counts as fresh. Without a session it answers 204.',
  dashboardSignOut: 'Ends the session of the dashboard and the session at the issuer. It needs the headers of `/dashboard/api`.',
  dashboardApi:
    'Runs a call of the API with the credential of the session, in every respect like the call itself, with any method of the API. It needs the cookie of the dashboard and the header `X-Ostiary-Dashboard: 1`, and for changes an `Origin` that is the public address.',
  dashboardPreview:
    'A hosted page as it would be with the settings that `E/settings/preview` was given. Nothing on it can be pressed. It needs the address that the call answered, and the session of a member of the tenant.',
  tryCallback:
    'Hands the code of a sign-in that was started in the dashboard, by "Try sign-in", to the tab that started it. An application that is tried out has this address among its redirect URIs.',
  demo: 'Leads to “Try sign-in” of the demo application in the dashboard, where `npm start` made one. Elsewhere it is 404.',
  demoOrders:
    'An API that needs roles, to try out: with an access token for its address as audience it answers the organization and the roles of the person, and three orders. Without the scope `orders:read` it is 403, without a demo 404.',
  deleteDemoOrder:
    'Answers as an API of a product would: 200 to a person whose roles give the scope `orders:delete`, and 403 to any other. Nothing is stored, so the order is there again at the next call.',

  endUserSessions: 'Ends all sessions and grants of a user: the person signs in again everywhere. Applications get a back-channel logout.',
  sendReset:
    'Mails a link for a new password. A user who has no password and whose email is not verified gets an invitation: its link sets the first password, verifies the email and works for 24 hours. Any other user without a password, or where passwords are off, gets a mail that says how they sign in. It counts against the limits of emailed codes; over a limit nothing is sent.',
  sendVerification:
    'Mails a code and a link that verify the email. A user whose email is verified, or who is blocked, gets none. It counts against the limits of emailed codes; over a limit nothing is sent.',
  listUserMethods: 'Lists how the user can sign in: the password, the linked identities and so on.',
  removeUserMethod:
    'Removes a sign-in method. The sessions and grants that began with it end, and the event `user.updated` is raised, or `mfa.removed` for a second factor.',
  listTrustedBrowsers:
    'Lists the browsers in which the user is not asked for the second factor (`mfa.remember_days`), newest first: those that count now.',
  removeTrustedBrowser:
    'Removes a trusted browser. The next sign-in there asks for the second factor, and so does the next authorization request of a session that began without one. The event `trusted_browser.removed` is raised.',
  listUserGrants: 'Lists what the user has given to applications: the grants that have not ended, newest first.',
  disconnectGrant:
    'Ends all grants of the user for the application of this grant, and the consent with them. The application asks again at the next sign-in.',
  authKeyUsage:
    'Counts the calls with the key by hour, route and address, newest hour first. An hour has at most 100 pairs of route and address; the others are counted as `other`.',
  platformKeyUsage:
    'Counts the calls with the key by hour, route and address, newest hour first. An hour has at most 100 pairs of route and address; the others are counted as `other`.',
  getEvent: 'Gets one event, as a webhook receives it.',
  getDelivery: 'Gets one delivery of an event to the webhook, with its attempts.',
  listBackchannelLogouts:
    'Lists the logout tokens that were sent to applications (OpenID Connect Back-Channel Logout 1.0), newest first, with the attempts.',
  resendBackchannelLogout: 'Sends a back-channel logout again, with a new logout token.',
  getReadiness: 'Judges the environment: `ready` is true if no check of the level `required` fails. Each check says what to do.',
  listRefusedCalls:
    'Lists the calls of the last 7 days that the service refused in this environment, newest first. `ip` and `user_agent` need the scope `users:read` as well.',
  summariseRefusedCalls: 'Counts the refused calls by code and route. `dropped` counts the calls over the limits of the record.',
  getRefusedCall: 'Gets one refused call by the X-Request-Id of its answer, which is also the reference on an error page.',
  listRefusedCallsOfTenant: 'Lists the refused calls of the tenant that belong to none of its environments, newest first.',
  summariseRefusedCallsOfTenant: 'Counts these calls by code and route.',
  getRefusedCallOfTenant: 'Gets one of these calls by the X-Request-Id of its answer.',
  verifyAuditLog: 'Recomputes the hash chain of the audit log, and reports altered, missing and forged entries.',
  getAuditEntry: 'Gets one entry of the audit log.',

  start:
    'The start page: what this service is, with links to its documentation, its demo and its health. A program gets the same links as JSON.',
  favicon: 'The mark of the service.',
  getMethodImpact:
    'Counts the people who could not sign in without a method, and the sign-ins by it in the last 30 days. Read it before you switch the method off.',
  previewSettings:
    'Checks unsaved settings as a change would, stores nothing, and answers the address of a hosted page that shows them. It works for ten minutes, in a frame of the dashboard only.',
  testMail:
    'Sends a test mail by the stored settings and waits for the outcome: `stage` is the last step, `reply` the last reply of the mail server. At most 10 an hour for each environment.',
}
