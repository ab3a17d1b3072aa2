// Generated from contract/src/routes.ts by `npm run docs`.
import type { CallOptions, ChangeOptions, List, PostOptions } from '../options.ts'
import type { ApiKey, ApiKeyWithPlaintext, Application, ApplicationChange, ApplicationCreation, ApplicationInList, ApplicationTemplate, ApplicationTemplates, ApplicationWithSecret, ApprovalState, AuditEntry, AuditVerification, AuthConfig, AuthKeyChange, AuthKeyCreation, BackchannelLogout, ClientSecret, ClientSecretCreation, ClientSecretWithPlaintext, Delivery, Environment, EnvironmentChange, EnvironmentConfiguration, EnvironmentCreation, EnvironmentRole, Event, EventKind, Grant, Impact, Invitation, KeyIdentity, KeyUsage, Located, Mail, MailAsked, MailTest, MailTested, Me, Member, MemberChange, MemberCreation, MetadataClient, MetadataClientChange, MetadataClientCreation, Names, Organization, OrganizationChange, OrganizationCreation, OrganizationInvitation, OrganizationInvitationCreation, OrganizationMember, OrganizationMemberChange, OrganizationMemberCreation, PlatformKeyChange, PlatformKeyCreation, Project, ProjectChange, ProjectCreation, ProjectWithEnvironments, Promotion, PromotionApply, PromotionCreation, PromotionInList, PromotionRevert, PromotionWithSecrets, Provider, ProviderChange, ProviderCheck, ProviderCreation, Readiness, RefusedCall, RefusedCallSummary, ResendSince, Resent, ResourceServer, ResourceServerChange, ResourceServerCreation, RevertOutcome, RoleChange, RoleCreation, RolePreview, Session, Settings, SettingsChange, SettingsPreview, SettingsToPreview, SignInMethod, SignInTrace, SigningAlg, SigningKey, Statistics, Tenant, TenantChange, TenantCreation, TestSent, TokenToValidate, TokenVerdict, TrustedBrowser, User, UserAccess, UserChange, UserCreation, UserJob, UserJobCreation, UserOrganization, Webhook, WebhookChange, WebhookCreation, WebhookWithSecret } from './types.ts'

/** The operations of the management and runtime API. */
export interface Operations {
  /**
   * Get the identity and the permissions of the key.
   *
   * Shows which key the request carries, what it can do, and the address from which the service sees the request.
   *
   * Needs an API key of any type.
   */
  whoami(options?: CallOptions): Promise<KeyIdentity>
  /**
   * Get the public auth configuration of the environment.
   *
   * Everything that a page needs to offer sign-in: the issuer, the public applications, the methods and the branding. The answer can be cached for 60 s.
   *
   * Needs a publishable key, from one of its allowed origins.
   */
  authConfig(options?: CallOptions): Promise<AuthConfig>
  /**
   * Validate an access token.
   *
   * Asks whether an access token of the environment is valid now, with sign-outs, blocks and revocations taken into account. The answer is always 200; `reason` says why a token is inactive.
   *
   * Needs a secret key of the environment.
   */
  validateToken(body: TokenToValidate, options?: PostOptions): Promise<TokenVerdict>
  /**
   * List users; with words or filters, a page can be short and still have more; as text/csv, all of them.
   *
   * Lists the users of the environment, newest first or by the day of the last sign-in. `email` finds one user; `sub` finds the user whom a token names; `query` finds parts of emails, names, phone numbers, ids and `sub`s. With words or filters a page can have fewer objects than `limit` although more follow. As `text/csv` it is every user that they leave, a line each; a cell that a spreadsheet would compute begins with an apostrophe.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  listAuthUsers(params?: { limit?: number | undefined; cursor?: string | undefined; email?: string | undefined; sub?: string | undefined; query?: string | undefined; approval?: ApprovalState | undefined; blocked?: boolean | undefined; email_verified?: boolean | undefined; method?: 'password' | 'passkey' | 'totp' | 'recovery_codes' | 'provider' | undefined; provider_id?: string | undefined; created_from?: string | undefined; created_to?: string | undefined; last_seen_from?: string | undefined; last_seen_to?: string | undefined; never_signed_in?: boolean | undefined; sort?: 'created' | 'last_sign_in' | undefined; role?: string | undefined }, options?: CallOptions): List<User>
  /**
   * Create a user.
   *
   * Creates a user. Without a password the user cannot sign in by password until one is set. `password_hash` brings a password from another system.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  createUser(body: UserCreation, options?: PostOptions): Promise<User>
  /**
   * Get a user.
   *
   * Gets one user of the environment.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  getAuthUser(params: { user_id: string }, options?: CallOptions): Promise<User>
  /**
   * Update a user; a new password ends all sessions and grants.
   *
   * Changes the named fields; `metadata` and `claims` are merged with what is stored. A new password ends all sessions and grants of the user. A new email or phone number counts as unverified unless the same request says otherwise.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment if the body sends `password`, and in a Live environment if the body changes `email`, `email_verified`, `phone_number`, `phone_number_verified` or `claims`, and in a Live environment if the body adds to `roles`.
   */
  changeUser(params: { user_id: string }, body: UserChange, options?: ChangeOptions): Promise<User>
  /**
   * Delete a user with all sessions and grants.
   *
   * Deletes the user with all sessions and grants. The email can be used again.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  deleteUser(params: { user_id: string; erase?: 'true' | 'false' | undefined }, options?: ChangeOptions): Promise<void>
  /**
   * Restore a deleted user who is not erased yet.
   *
   * Takes back the deletion of a user who is not erased yet (`deletes_at`), and mails that to the person. Ended sessions and tokens stay ended. To restore a user who is not deleted changes nothing; once the time has come it is 404.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  restoreUser(params: { user_id: string }, options?: PostOptions): Promise<User>
  /**
   * Block a user; all sessions and tokens end at once.
   *
   * Keeps the user from signing in and ends all sessions and tokens at once. To block a blocked user changes nothing.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  blockUser(params: { user_id: string }, options?: PostOptions): Promise<User>
  /**
   * Unblock a user.
   *
   * Lets a blocked user sign in again. Ended sessions and tokens stay ended.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  unblockUser(params: { user_id: string }, options?: PostOptions): Promise<User>
  /**
   * Approve a user who waits.
   *
   * Lets a user in whose account waits after a sign-up (`approval`), and mails that to the person. For any other account it is 409 `not_waiting`.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  approveUser(params: { user_id: string }, options?: PostOptions): Promise<User>
  /**
   * Refuse a user who waits.
   *
   * Refuses a user whose account waits after a sign-up, and mails that to the person. The account is deleted 30 days later. For any other account it is 409 `not_waiting`.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  refuseUser(params: { user_id: string }, options?: PostOptions): Promise<User>
  /**
   * Block, unblock, sign out or delete many users.
   *
   * Begins a job that does the same to up to 10,000 users, each once, and answers at once with its `Location`. It goes on after a restart. At most 20 jobs of an environment wait or run.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  createUserJob(body: UserJobCreation, options?: PostOptions): Promise<UserJob>
  /**
   * Get a job over users.
   *
   * Gets a job over users: how many are done, failed, or no users here. It is kept for seven days after its end.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  getUserJob(params: { user_job_id: string }, options?: CallOptions): Promise<UserJob>
  /**
   * List the sessions of a user.
   *
   * Lists the sessions of a user that can be ended, newest first. One whose `expires_at` has passed signs nobody in any more, but tokens of it may be valid.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  listUserSessions(params: { user_id: string; limit?: number | undefined; cursor?: string | undefined }, options?: CallOptions): List<Session>
  /**
   * End all sessions and grants of a user.
   *
   * Ends all sessions and grants of a user: the person signs in again everywhere. Applications get a back-channel logout.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  endUserSessions(params: { user_id: string }, options?: PostOptions): Promise<User>
  /**
   * Mail a link with which the user chooses a new password.
   *
   * Mails a link for a new password. A user who has no password and whose email is not verified gets an invitation: its link sets the first password, verifies the email and works for 24 hours. Any other user without a password, or where passwords are off, gets a mail that says how they sign in. It counts against the limits of emailed codes; over a limit nothing is sent.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  sendReset(params: { user_id: string }, options?: PostOptions): Promise<MailAsked>
  /**
   * Mail a code and a link that verify the email of a user.
   *
   * Mails a code and a link that verify the email. A user whose email is verified, or who is blocked, gets none. It counts against the limits of emailed codes; over a limit nothing is sent.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  sendVerification(params: { user_id: string }, options?: PostOptions): Promise<MailAsked>
  /**
   * Get what a user may do.
   *
   * Says which roles count for the user now, and which scopes of each resource server a new access token could have: for each scope the roles that give it. A blocked user has neither.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  getAuthUserAccess(params: { user_id: string; organization_id?: string | undefined }, options?: CallOptions): Promise<UserAccess>
  /**
   * List the sign-in methods of a user.
   *
   * Lists how the user can sign in: the password, the linked identities and so on.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  listUserMethods(params: { user_id: string; limit?: number | undefined; cursor?: string | undefined }, options?: CallOptions): List<SignInMethod>
  /**
   * Remove a sign-in method; the sessions and grants that began with it end.
   *
   * Removes a sign-in method. The sessions and grants that began with it end, and the event `user.updated` is raised, or `mfa.removed` for a second factor.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  removeUserMethod(params: { user_id: string; method_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * List the trusted browsers of a user.
   *
   * Lists the browsers in which the user is not asked for the second factor (`mfa.remember_days`), newest first: those that count now.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  listTrustedBrowsers(params: { user_id: string; limit?: number | undefined; cursor?: string | undefined }, options?: CallOptions): List<TrustedBrowser>
  /**
   * Remove a trusted browser; the user is asked for the second factor there.
   *
   * Removes a trusted browser. The next sign-in there asks for the second factor, and so does the next authorization request of a session that began without one. The event `trusted_browser.removed` is raised.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  removeTrustedBrowser(params: { user_id: string; trusted_browser_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * List the active grants of a user.
   *
   * Lists what the user has given to applications: the grants that have not ended, newest first.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  listUserGrants(params: { user_id: string; limit?: number | undefined; cursor?: string | undefined; organization_id?: string | undefined }, options?: CallOptions): List<Grant>
  /**
   * Disconnect the application of a grant: all grants of the user for it end, and so does the consent.
   *
   * Ends all grants of the user for the application of this grant, and the consent with them. The application asks again at the next sign-in.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  disconnectGrant(params: { user_id: string; grant_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * Get a session.
   *
   * Gets one session that can be ended: it has not ended, and its absolute limit has not passed or it still has tokens.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  getSession(params: { session_id: string }, options?: CallOptions): Promise<Session>
  /**
   * End a session and revoke its tokens.
   *
   * Ends a session. Its tokens stop working, and its applications get a back-channel logout.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  endSession(params: { session_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * List organizations; with `query`, a page can be short and still have more.
   *
   * Lists the organizations of the environment, newest first. `slug` and `external_id` find one; `query` searches names, slugs and external ids, and then a page can have fewer objects than `limit` although more follow.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  listAuthOrganizations(params?: { limit?: number | undefined; cursor?: string | undefined; slug?: string | undefined; external_id?: string | undefined; query?: string | undefined }, options?: CallOptions): List<Organization>
  /**
   * Create an organization, with up to 100 members.
   *
   * Creates an organization: a customer of your product. With `members` its first members are added in the same change, all or none. An `external_id` that another one has is `identifier_taken`. An environment has at most 100,000 organizations and a user is a member of at most 5,000, unless the deployment changed `organizations` and `organizations_per_user` of `OSTIARY_LIMITS`; over it the call is `quota_exceeded`.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment if the body has members.
   */
  createOrganization(body: OrganizationCreation, options?: PostOptions): Promise<Organization>
  /**
   * Get an organization.
   *
   * Gets one organization of the environment.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  getAuthOrganization(params: { organization_id: string }, options?: CallOptions): Promise<Organization>
  /**
   * Update an organization.
   *
   * Changes the named fields; `metadata` and `claims` are merged with what is stored. While an organization is disabled, nobody acts in it.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment if the body turns off `disabled`, and in a Live environment if the body changes `claims`.
   */
  changeOrganization(params: { organization_id: string }, body: OrganizationChange, options?: ChangeOptions): Promise<Organization>
  /**
   * Delete an organization with all its members.
   *
   * Deletes an organization with all its members, at once. Its slug and its external id can be used again.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  deleteOrganization(params: { organization_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * List the members of an organization; with `query`, a page can be short and still have more.
   *
   * Lists the members of an organization, the last added first. `role` finds those to whom a role was given; `query` searches names, emails and phone numbers, and then a page can have fewer objects than `limit` although more follow.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  listAuthOrganizationMembers(params: { organization_id: string; limit?: number | undefined; cursor?: string | undefined; role?: string | undefined; query?: string | undefined }, options?: CallOptions): List<OrganizationMember>
  /**
   * Add a user to an organization.
   *
   * Makes a user of the environment a member of the organization, with at most 20 roles. A user who is a member already is `already_member`. An organization has at most 100,000 members and a user is in at most 5,000 organizations (`members_per_organization` and `organizations_per_user` of `OSTIARY_LIMITS`); over it the call is `quota_exceeded`.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  addOrganizationMember(params: { organization_id: string }, body: OrganizationMemberCreation, options?: PostOptions): Promise<OrganizationMember>
  /**
   * Get a member of an organization.
   *
   * Gets one member of an organization.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  getAuthOrganizationMember(params: { organization_id: string; user_id: string }, options?: CallOptions): Promise<OrganizationMember>
  /**
   * Update the roles of a member.
   *
   * Replaces the roles of a member, at most 20. The change counts from the next request on. An unknown role, one of users or a repeated one is refused at its place in `roles`.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment if the body adds to `roles`.
   */
  changeOrganizationMember(params: { organization_id: string; user_id: string }, body: OrganizationMemberChange, options?: ChangeOptions): Promise<OrganizationMember>
  /**
   * Remove a member from an organization.
   *
   * Removes a member. To add the user again makes another membership.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  removeOrganizationMember(params: { organization_id: string; user_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * List the invitations to an organization; with `status`, a page can be short and still have more.
   *
   * Lists the invitations to an organization, newest first. With `status` a page can have fewer objects than `limit` although more follow.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  listAuthOrganizationInvitations(params: { organization_id: string; limit?: number | undefined; cursor?: string | undefined; status?: 'pending' | 'accepted' | 'ended' | undefined }, options?: CallOptions): List<OrganizationInvitation>
  /**
   * Invite an address to an organization; the link is mailed, or returned once.
   *
   * Invites an address to an organization. The person opens the link, signs in or creates an account for the address, and accepts; an account that has not proved the address enters a code that is mailed to it. A pending invitation to the same address ends. An environment that sends no mail answers `mail_not_set_up`, also with `send_email: false`. An organization has at most 500 pending invitations and 200 a day, and an address gets 3 a day from the environment (`organization_invitations_pending`, `organization_invitations_per_day` and `organization_invitations_per_address` of `OSTIARY_LIMITS`); over it the call is `quota_exceeded`.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  inviteToOrganization(params: { organization_id: string }, body: OrganizationInvitationCreation, options?: PostOptions): Promise<OrganizationInvitation>
  /**
   * Get an invitation to an organization.
   *
   * Gets one invitation to an organization.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  getAuthOrganizationInvitation(params: { organization_id: string; invitation_id: string }, options?: CallOptions): Promise<OrganizationInvitation>
  /**
   * Withdraw a pending invitation to an organization.
   *
   * Withdraws a pending invitation. Its link stops working. One that is accepted or has ended is 404.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  deleteOrganizationInvitation(params: { organization_id: string; invitation_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * Replace the link of a pending invitation; it is mailed, or returned once.
   *
   * Makes a new link for a pending invitation and ends the old one. It is mailed if the first one was, and counts as an invitation of the day: over a limit of invitations the call is `quota_exceeded`, and an environment that sends no mail answers `mail_not_set_up`.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  resendOrganizationInvitation(params: { organization_id: string; invitation_id: string }, options?: PostOptions): Promise<OrganizationInvitation>
  /**
   * List the organizations of a user.
   *
   * Lists the memberships of a user, each with its organization, the newest organization first.
   *
   * Needs a secret key of the environment, or an administrator with the role `developer` or above.
   */
  listAuthUserOrganizations(params: { user_id: string; limit?: number | undefined; cursor?: string | undefined }, options?: CallOptions): List<UserOrganization>
  /**
   * List the projects of the tenant.
   *
   * Lists the projects of the tenant, newest first.
   *
   * Needs a platform key with the scope `projects:read`, or an administrator with the role `viewer` or above.
   */
  listProjects(params?: { limit?: number | undefined; cursor?: string | undefined; slug?: string | undefined; query?: string | undefined }, options?: CallOptions): List<Project>
  /**
   * Create a project with a Test and a Live environment.
   *
   * Creates a project with two environments, `test` and `live`. Each has its own issuer, users, keys and settings.
   *
   * Needs a platform key with the scope `projects:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) if the body names an issuer of its own.
   */
  createProject(body: ProjectCreation, options?: PostOptions): Promise<ProjectWithEnvironments>
  /**
   * Get a project.
   *
   * Gets one project.
   *
   * Needs a platform key with the scope `projects:read`, or an administrator with the role `viewer` or above.
   */
  getProject(params: { project_id: string }, options?: CallOptions): Promise<Project>
  /**
   * Update a project.
   *
   * Changes the name of a project, whether its plans to a Live environment need an approval (`promotion.require_approval`), or how old the sign-in of an administrator may be for calls that need a fresh one (`fresh_sign_in`): administrators with the role admin alone change these two. The slug never changes.
   *
   * Needs a platform key with the scope `projects:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) if the body changes `promotion.require_approval`, `fresh_sign_in.test_seconds` or `fresh_sign_in.live_seconds`.
   */
  changeProject(params: { project_id: string }, body: ProjectChange, options?: ChangeOptions): Promise<Project>
  /**
   * Plan to bring a configuration to an environment.
   *
   * Plans to bring the configuration of an environment, or of a document, to another environment of the project: every change field by field, and what stands in its way. Nothing changes. From another environment, or a document that names one, only fields that travel come; `values` are those of the target. A document that names the target or none is its own, and applies as written. `dry_run` answers 200 and stores nothing. A plan that is not applied is kept for 7 days, and a project keeps its newest 100, up to 32 MB; approved ones give way last. A document has at most 1,000 objects, and a plan 4,000,000 bytes. A project stores 120 plans an hour, where a plan counts once for each 200,000 bytes.
   *
   * Needs a platform key with the scopes `projects:read`, `env.settings:read`, `applications:read`, `resource_servers:read`, `providers:read` and `webhooks:read`, or an administrator with the role `developer` or above. In the root tenant it is 403.
   */
  createPromotion(params: { project_id: string }, body: PromotionCreation, options?: PostOptions): Promise<Promotion>
  /**
   * List the promotions of a project.
   *
   * Lists the promotions of a project, newest first, each with its plan in numbers.
   *
   * Needs a platform key with the scope `projects:read`, or an administrator with the role `viewer` or above. In the root tenant it is 403.
   */
  listPromotions(params: { project_id: string; limit?: number | undefined; cursor?: string | undefined; status?: 'planned' | 'applied' | 'reverted' | undefined; to_environment_id?: string | undefined }, options?: CallOptions): List<PromotionInList>
  /**
   * Get a promotion with its plan.
   *
   * Gets one promotion. A key also needs the read scope of each kind that the plan names.
   *
   * Needs a platform key with the scope `projects:read`, or an administrator with the role `viewer` or above. In the root tenant it is 403.
   */
  getPromotion(params: { project_id: string; promotion_id: string }, options?: CallOptions): Promise<Promotion>
  /**
   * Approve a plan to a Live environment.
   *
   * Approves a plan to a Live environment of a project that asks for it (`promotion.require_approval`). The administrator who planned it cannot approve it. A plan that is out of date or has errors cannot be approved.
   *
   * Needs an administrator with the role `admin` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes).
   */
  approvePromotion(params: { project_id: string; promotion_id: string }, options?: PostOptions): Promise<Promotion>
  /**
   * Apply a promotion; the secrets that it makes are returned once.
   *
   * Applies a plan as one change: all of it happens, or nothing. It is refused if the source or the target has changed since the plan. `secrets` gives the values of `needed_secrets`; a stored one can be left out. A key needs the write scope of each kind in `changes`. In Live an administrator needs the role admin. Client secrets and secrets of webhooks that it makes are in `secrets`, once. An environment has 120 applies and reverts an hour, where an apply counts once for each 200,000 bytes of its plan, and at most 5,000 applied promotions with 256 MB of plans, each for 90 days: above that an apply to it is 429.
   *
   * Needs a platform key with the scope `projects:write`, or an administrator with the role `developer` or above. In the root tenant it is 403.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment, and if one of its changes needs one by its own call.
   */
  applyPromotion(params: { project_id: string; promotion_id: string }, body?: PromotionApply | undefined, options?: PostOptions): Promise<PromotionWithSecrets>
  /**
   * Revert a promotion: every changed field gets its former value.
   *
   * Gives every changed field its former value and deletes what the promotion created. It is refused where a field, or a created object, has changed since, and where a created object is used; `leave` leaves these as they are now. A secret that ended never comes back: where a method needs one again, it is made and shown once. `dry_run` answers what would change and stands in the way. A promotion that deleted objects cannot be reverted. An environment has 120 applies and reverts an hour.
   *
   * Needs a platform key with the scope `projects:write`, or an administrator with the role `developer` or above. In the root tenant it is 403.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment, and if one of its changes needs one by its own call.
   */
  revertPromotion(params: { project_id: string; promotion_id: string }, body?: PromotionRevert | undefined, options?: PostOptions): Promise<RevertOutcome>
  /**
   * List the environments of a project.
   *
   * Lists the environments of a project, newest first.
   *
   * Needs a platform key with the scope `environments:read`, or an administrator with the role `viewer` or above.
   */
  listEnvironments(params: { project_id: string; limit?: number | undefined; cursor?: string | undefined; slug?: string | undefined; query?: string | undefined }, options?: CallOptions): List<Environment>
  /**
   * Create an environment.
   *
   * Creates one more environment of the type `test` or `live`, whose issuer can have a host of its own. Neither ever changes.
   *
   * Needs a platform key with the scope `environments:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) if the body names an issuer of its own.
   */
  createEnvironment(params: { project_id: string }, body: EnvironmentCreation, options?: PostOptions): Promise<Environment>
  /**
   * Get an environment.
   *
   * Gets one environment with its issuer.
   *
   * Needs a platform key with the scope `environments:read`, or an administrator with the role `viewer` or above.
   */
  getEnvironment(params: { project_id: string; environment_id: string }, options?: CallOptions): Promise<Environment>
  /**
   * Update an environment.
   *
   * Changes the name of an environment, or what is meant to differ from other environments (`keeps`). A change of `keeps` raises `config_version`.
   *
   * Needs a platform key with the scope `environments:write`, or an administrator with the role `developer` or above.
   */
  changeEnvironment(params: { project_id: string; environment_id: string }, body: EnvironmentChange, options?: ChangeOptions): Promise<Environment>
  /**
   * Get the settings of an environment.
   *
   * Gets the settings of an environment as one document in groups, with defaults filled in.
   *
   * Needs a platform key with the scope `env.settings:read`, or an administrator with the role `viewer` or above.
   */
  getSettings(params: { project_id: string; environment_id: string }, options?: CallOptions): Promise<Settings>
  /**
   * Update settings (merge patch; null restores a default).
   *
   * Changes the named settings. `null` restores the default of a field or of a whole group. A change counts from the next request on, in every process.
   *
   * Needs a platform key with the scope `env.settings:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) if the body changes `email`, and if the body sends `email.smtp.password`, and if the body turns on `passkeys.automatic`, and in a Live environment if the body changes `sign_in`, `sign_up`, `mfa`, `lockout`, `password`, `sessions`, `cors`, `scopes`, `claims`, `tokens.access_token_ttl_seconds`, `tokens.id_token_ttl_seconds`, `tokens.authorization_code_ttl_seconds`, `tokens.refresh_token_idle_ttl_seconds`, `tokens.refresh_token_absolute_ttl_seconds`, `tokens.refresh_retry_window_seconds` or `tokens.access_token_format`, and in a Live environment if the body widens `oauth.metadata_clients`, and in a Live environment if the body turns off `notices.new_sign_in`.
   */
  changeSettings(params: { project_id: string; environment_id: string }, body: SettingsChange, options?: ChangeOptions): Promise<Settings>
  /**
   * Count who would be hurt if a sign-in method were switched off.
   *
   * Counts the people who could not sign in without a method, and the sign-ins by it in the last 30 days. Read it before you switch the method off.
   *
   * Needs a platform key with the scope `env.settings:read`, or an administrator with the role `viewer` or above.
   */
  getMethodImpact(params: { project_id: string; environment_id: string; method?: 'password' | 'email_code' | 'passkey' | undefined }, options?: CallOptions): Promise<Impact>
  /**
   * Show unsaved settings on a hosted page, in a frame of the dashboard.
   *
   * Checks unsaved settings as a change would, stores nothing, and answers the address of a hosted page that shows them. It works for ten minutes, in a frame of the dashboard only.
   *
   * Needs a platform key with the scope `env.settings:write`, or an administrator with the role `developer` or above.
   */
  previewSettings(params: { project_id: string; environment_id: string }, body?: SettingsToPreview | undefined, options?: PostOptions): Promise<SettingsPreview>
  /**
   * Send a test mail and report how far it got; 10 an hour.
   *
   * Sends a test mail by the stored settings and waits for the outcome: `stage` is the last step, `reply` the last reply of the mail server. At most 10 an hour for each environment.
   *
   * Needs a platform key with the scope `env.settings:write`, or an administrator with the role `developer` or above.
   */
  testMail(params: { project_id: string; environment_id: string }, body: MailTest, options?: PostOptions): Promise<MailTested>
  /**
   * Get the configuration of an environment as one document.
   *
   * Gets the settings and the objects of an environment as one document, every field with its value in effect and objects by their slugs. It has no ids, times and secrets; a secret that is set appears by name. Equal configurations are equal byte for byte, and the ETag is the `config_version` of the environment.
   *
   * Needs a platform key with the scopes `projects:read`, `env.settings:read`, `applications:read`, `resource_servers:read`, `providers:read` and `webhooks:read`, or an administrator with the role `viewer` or above. In the root tenant it is 403.
   */
  getConfiguration(params: { project_id: string; environment_id: string }, options?: CallOptions): Promise<EnvironmentConfiguration>
  /**
   * List applications, with their activity if that is asked for.
   *
   * Lists the applications of an environment, newest first or by name. With `activity=true` each has the last sign-in and the people of 30 days, from events and grants: numbers with a bound, which cost reading.
   *
   * Needs a platform key with the scope `applications:read`, or an administrator with the role `viewer` or above.
   */
  listApplications(params: { project_id: string; environment_id: string; limit?: number | undefined; cursor?: string | undefined; slug?: string | undefined; query?: string | undefined; activity?: boolean | undefined; sort?: 'created' | 'name' | undefined }, options?: CallOptions): List<ApplicationInList>
  /**
   * Create an application; the secret is returned once.
   *
   * Creates an application, which is an OAuth client. A web application with a secret gets `client_secret`, which no later call returns. With `template` and `url` the fields that the body does not have come from the template of a product.
   *
   * Needs a platform key with the scope `applications:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment, and if the body creates a client secret, or has keys or a template of the application.
   */
  createApplication(params: { project_id: string; environment_id: string }, body: ApplicationCreation, options?: PostOptions): Promise<ApplicationWithSecret>
  /**
   * Get an application.
   *
   * Gets one application.
   *
   * Needs a platform key with the scope `applications:read`, or an administrator with the role `viewer` or above.
   */
  getApplication(params: { project_id: string; environment_id: string; application_id: string }, options?: CallOptions): Promise<Application>
  /**
   * Update an application.
   *
   * Changes the named fields of an application. The next authorization request uses them.
   *
   * Needs a platform key with the scope `applications:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) if the body changes `token_endpoint_auth_method`, `jwks` or `jwks_uri`, and in a Live environment if the body changes `redirect_uris`, `post_logout_redirect_uris`, `allowed_scopes`, `unknown_scopes`, `roles_claim`, `data_claims`, `require_pkce`, `nonce_replaces_pkce`, `consent`, `backchannel_logout_uri` or `allow_loopback_port`, and in a Live environment if the body widens `allowed_roles` or `organizations`, and in a Live environment if the body turns off `disabled`.
   */
  changeApplication(params: { project_id: string; environment_id: string; application_id: string }, body: ApplicationChange, options?: ChangeOptions): Promise<Application>
  /**
   * Delete an application with all its grants.
   *
   * Deletes an application. Its grants end, so its refresh tokens and opaque access tokens stop working.
   *
   * Needs a platform key with the scope `applications:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  deleteApplication(params: { project_id: string; environment_id: string; application_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * Count who would be hurt if an application were deleted or disabled.
   *
   * Counts the live grants of an application, their people and its token requests of 30 days. Read it before you delete or disable the application.
   *
   * Needs a platform key with the scope `applications:read`, or an administrator with the role `viewer` or above.
   */
  getApplicationImpact(params: { project_id: string; environment_id: string; application_id: string }, options?: CallOptions): Promise<Impact>
  /**
   * Replace the client secret; the new one is returned once, the old one stops working.
   *
   * Makes a new client secret and ends every other one at once. Deploy the new secret without delay; to replace one without a refused call, add a second one instead.
   *
   * Needs a platform key with the scope `applications:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes).
   */
  rotateClientSecret(params: { project_id: string; environment_id: string; application_id: string }, options?: PostOptions): Promise<ApplicationWithSecret>
  /**
   * List the client secrets of an application.
   *
   * Lists the secrets that the application can authenticate with, newest first, at most two. An expired one stays until it is deleted.
   *
   * Needs a platform key with the scope `applications:read`, or an administrator with the role `viewer` or above.
   */
  listClientSecrets(params: { project_id: string; environment_id: string; application_id: string; limit?: number | undefined; cursor?: string | undefined }, options?: CallOptions): List<ClientSecret>
  /**
   * Add a second client secret, which is returned once; the first one keeps working.
   *
   * Adds a secret beside the one that is there, and both work. Move every caller to the new one, then delete the first. An application has at most two; an expired one counts until it is deleted.
   *
   * Needs a platform key with the scope `applications:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes).
   */
  addClientSecret(params: { project_id: string; environment_id: string; application_id: string }, body?: ClientSecretCreation | undefined, options?: PostOptions): Promise<ClientSecretWithPlaintext>
  /**
   * Get a client secret without its plaintext.
   *
   * Returns a client secret. `last_used_at` says whether a caller still has it.
   *
   * Needs a platform key with the scope `applications:read`, or an administrator with the role `viewer` or above.
   */
  getClientSecret(params: { project_id: string; environment_id: string; application_id: string; client_secret_id: string }, options?: CallOptions): Promise<ClientSecret>
  /**
   * Delete a client secret; it stops working at once.
   *
   * Deletes a client secret. From the answer on every call with it is refused. What people allowed the application goes on with the other secret.
   *
   * Needs a platform key with the scope `applications:write`, or an administrator with the role `developer` or above.
   */
  deleteClientSecret(params: { project_id: string; environment_id: string; application_id: string; client_secret_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * List metadata clients.
   *
   * Lists the clients whose client id is the URL of a document about themselves, newest first.
   *
   * Needs a platform key with the scope `applications:read`, or an administrator with the role `viewer` or above.
   */
  listMetadataClients(params: { project_id: string; environment_id: string; limit?: number | undefined; cursor?: string | undefined; client_id?: string | undefined }, options?: CallOptions): List<MetadataClient>
  /**
   * Add a metadata client; its document is read.
   *
   * Reads the document at the URL and adds a record of the client. With the setting `oauth.metadata_clients` at `listed`, people can then connect it. It works in every mode, before the setting is changed too.
   *
   * Needs a platform key with the scope `applications:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment if the body approves the URL.
   */
  createMetadataClient(params: { project_id: string; environment_id: string }, body: MetadataClientCreation, options?: PostOptions): Promise<MetadataClient>
  /**
   * Get a metadata client.
   *
   * Returns a metadata client as its document was when it was read last.
   *
   * Needs a platform key with the scope `applications:read`, or an administrator with the role `viewer` or above.
   */
  getMetadataClient(params: { project_id: string; environment_id: string; metadata_client_id: string }, options?: CallOptions): Promise<MetadataClient>
  /**
   * Approve, disable or enable a metadata client.
   *
   * Approves the URL, takes the approval back, disables or enables the client. What a change no longer admits ends at once: refresh tokens, access tokens at validation and UserInfo. It stays ended when the client is enabled again.
   *
   * Needs a platform key with the scope `applications:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment if the body turns on `listed`, and in a Live environment if the body turns off `disabled`.
   */
  changeMetadataClient(params: { project_id: string; environment_id: string; metadata_client_id: string }, body: MetadataClientChange, options?: ChangeOptions): Promise<MetadataClient>
  /**
   * Delete a metadata client with all its grants.
   *
   * Deletes the record and ends all grants of the client. With `oauth.metadata_clients` at `any`, people can connect it again: disable it to keep it out.
   *
   * Needs a platform key with the scope `applications:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  deleteMetadataClient(params: { project_id: string; environment_id: string; metadata_client_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * Read the document of a metadata client again.
   *
   * Reads the document again at once. A document that cannot be read or is not valid changes nothing.
   *
   * Needs a platform key with the scope `applications:write`, or an administrator with the role `developer` or above.
   */
  readMetadataClient(params: { project_id: string; environment_id: string; metadata_client_id: string }, options?: PostOptions): Promise<MetadataClient>
  /**
   * List resource servers.
   *
   * Lists the resource servers of an environment, newest first.
   *
   * Needs a platform key with the scope `resource_servers:read`, or an administrator with the role `viewer` or above.
   */
  listResourceServers(params: { project_id: string; environment_id: string; limit?: number | undefined; cursor?: string | undefined; slug?: string | undefined; query?: string | undefined }, options?: CallOptions): List<ResourceServer>
  /**
   * Create a resource server.
   *
   * Registers an API, so that applications can request access tokens for it by `resource`.
   *
   * Needs a platform key with the scope `resource_servers:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  createResourceServer(params: { project_id: string; environment_id: string }, body: ResourceServerCreation, options?: PostOptions): Promise<ResourceServer>
  /**
   * Get a resource server.
   *
   * Gets one resource server.
   *
   * Needs a platform key with the scope `resource_servers:read`, or an administrator with the role `viewer` or above.
   */
  getResourceServer(params: { project_id: string; environment_id: string; resource_server_id: string }, options?: CallOptions): Promise<ResourceServer>
  /**
   * Update a resource server.
   *
   * Changes the named fields. Issued tokens keep their scopes and lifetime.
   *
   * Needs a platform key with the scope `resource_servers:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  changeResourceServer(params: { project_id: string; environment_id: string; resource_server_id: string }, body: ResourceServerChange, options?: ChangeOptions): Promise<ResourceServer>
  /**
   * Delete a resource server; issued tokens stay valid until they expire.
   *
   * Deletes a resource server. No new tokens are issued for it; issued ones stay valid until they expire.
   *
   * Needs a platform key with the scope `resource_servers:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  deleteResourceServer(params: { project_id: string; environment_id: string; resource_server_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * Count who would be hurt if a resource server or one scope of it were deleted.
   *
   * Counts the live grants for a resource server, or with one scope of it, their people and the access tokens of 30 days.
   *
   * Needs a platform key with the scope `resource_servers:read`, or an administrator with the role `viewer` or above.
   */
  getResourceServerImpact(params: { project_id: string; environment_id: string; resource_server_id: string; scope?: string | undefined }, options?: CallOptions): Promise<Impact>
  /**
   * List roles.
   *
   * Lists the roles of an environment, newest first.
   *
   * Needs a platform key with the scope `resource_servers:read`, or an administrator with the role `viewer` or above. In the root tenant it is 403.
   */
  listRoles(params: { project_id: string; environment_id: string; limit?: number | undefined; cursor?: string | undefined; slug?: string | undefined; query?: string | undefined }, options?: CallOptions): List<EnvironmentRole>
  /**
   * Create a role.
   *
   * Creates a role: a named set of scopes of resource servers. It gives nothing until a user has it, unless it is `default`. An environment has at most 200 roles and a role at most 1,000 scopes (`roles` and `role_permissions` of `OSTIARY_LIMITS`), over which the call is `quota_exceeded`; at most five roles of a kind are `default`.
   *
   * Needs a platform key with the scope `resource_servers:write`, or an administrator with the role `developer` or above. In the root tenant it is 403.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  createRole(params: { project_id: string; environment_id: string }, body: RoleCreation, options?: PostOptions): Promise<EnvironmentRole>
  /**
   * Get a role.
   *
   * Gets one role.
   *
   * Needs a platform key with the scope `resource_servers:read`, or an administrator with the role `viewer` or above. In the root tenant it is 403.
   */
  getRole(params: { project_id: string; environment_id: string; role_id: string }, options?: CallOptions): Promise<EnvironmentRole>
  /**
   * Update a role; its holders have the change at once.
   *
   * Changes the named fields; `permissions` is replaced as a whole. The change counts for every holder from the next request on. To send the same `permissions` names their resource servers and scopes again, which matters where one was deleted and made again.
   *
   * Needs a platform key with the scope `resource_servers:write`, or an administrator with the role `developer` or above. In the root tenant it is 403.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment if the body turns on `default` or `administers`, and in a Live environment if the body widens `permissions`.
   */
  changeRole(params: { project_id: string; environment_id: string; role_id: string }, body: RoleChange, options?: ChangeOptions): Promise<EnvironmentRole>
  /**
   * Delete a role; everyone loses it at once.
   *
   * Deletes a role. Everyone who has it loses it at once. A later role with its slug is another role.
   *
   * Needs a platform key with the scope `resource_servers:write`, or an administrator with the role `developer` or above. In the root tenant it is 403.
   */
  deleteRole(params: { project_id: string; environment_id: string; role_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * Show what a change of a role would give and take.
   *
   * Checks a change of a role as the change would be, stores nothing, and says which scopes people would gain and lose, and how many people. A deletion takes what `{"permissions": [], "default": false}` takes. `without_effect` is about the role as it is stored.
   *
   * Needs a platform key with the scope `resource_servers:write`, or an administrator with the role `developer` or above. In the root tenant it is 403.
   */
  previewRole(params: { project_id: string; environment_id: string; role_id: string }, body?: RoleChange | undefined, options?: PostOptions): Promise<RolePreview>
  /**
   * List auth keys.
   *
   * Lists the publishable and secret keys of an environment, newest first, revoked ones included.
   *
   * Needs a platform key with the scope `auth_keys:read`, or an administrator with the role `viewer` or above.
   */
  listAuthKeys(params: { project_id: string; environment_id: string; limit?: number | undefined; cursor?: string | undefined }, options?: CallOptions): List<ApiKey>
  /**
   * Create an auth key; the key is returned once.
   *
   * Creates a publishable or a secret key. `key` is the plaintext, which no later call returns.
   *
   * Needs a platform key with the scope `auth_keys:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes).
   */
  createAuthKey(params: { project_id: string; environment_id: string }, body: AuthKeyCreation, options?: PostOptions): Promise<ApiKeyWithPlaintext>
  /**
   * Get an auth key.
   *
   * Gets the record of one key, without its plaintext.
   *
   * Needs a platform key with the scope `auth_keys:read`, or an administrator with the role `viewer` or above.
   */
  getAuthKey(params: { project_id: string; environment_id: string; key_id: string }, options?: CallOptions): Promise<ApiKey>
  /**
   * Update an auth key.
   *
   * Changes the label, the origins, the addresses, the rate limit or the expiry of a key. The change counts from the next request on.
   *
   * Needs a platform key with the scope `auth_keys:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) if the body widens `scopes`, `ip_allowlist`, `allowed_origins`, `rate_limit` or `expires_at`.
   */
  changeAuthKey(params: { project_id: string; environment_id: string; key_id: string }, body: AuthKeyChange, options?: ChangeOptions): Promise<ApiKey>
  /**
   * Revoke an auth key.
   *
   * Ends a key at once and for good. Its record stays readable. To revoke a revoked key changes nothing.
   *
   * Needs a platform key with the scope `auth_keys:write`, or an administrator with the role `developer` or above.
   */
  revokeAuthKey(params: { project_id: string; environment_id: string; key_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * Replace an auth key; the new one is returned once, the old one stops working.
   *
   * Replaces the plaintext of a key and keeps its id and settings. The old plaintext stops working before the response is sent.
   *
   * Needs a platform key with the scope `auth_keys:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes).
   */
  rotateAuthKey(params: { project_id: string; environment_id: string; key_id: string }, options?: PostOptions): Promise<ApiKeyWithPlaintext>
  /**
   * Get the uses of an auth key by hour, route and address.
   *
   * Counts the calls with the key by hour, route and address, newest hour first. An hour has at most 100 pairs of route and address; the others are counted as `other`.
   *
   * Needs a platform key with the scope `auth_keys:read`, or an administrator with the role `viewer` or above.
   */
  authKeyUsage(params: { project_id: string; environment_id: string; key_id: string; from?: string | undefined; to?: string | undefined }, options?: CallOptions): Promise<KeyUsage>
  /**
   * Count who would be hurt if an auth key were revoked.
   *
   * Counts the calls with a key in the last 30 days. Read it before you revoke or rotate the key.
   *
   * Needs a platform key with the scope `auth_keys:read`, or an administrator with the role `viewer` or above.
   */
  getAuthKeyImpact(params: { project_id: string; environment_id: string; key_id: string }, options?: CallOptions): Promise<Impact>
  /**
   * List users; with words or filters, a page can be short and still have more; as text/csv, all of them.
   *
   * Lists the users of an environment, for platform keys and administrators. Words and filters can make pages short, as in the list of the runtime API.
   *
   * Needs a platform key with the scope `users:read`, or an administrator with the role `developer` or above.
   */
  listUsers(params: { project_id: string; environment_id: string; limit?: number | undefined; cursor?: string | undefined; email?: string | undefined; sub?: string | undefined; query?: string | undefined; approval?: ApprovalState | undefined; blocked?: boolean | undefined; email_verified?: boolean | undefined; method?: 'password' | 'passkey' | 'totp' | 'recovery_codes' | 'provider' | undefined; provider_id?: string | undefined; created_from?: string | undefined; created_to?: string | undefined; last_seen_from?: string | undefined; last_seen_to?: string | undefined; never_signed_in?: boolean | undefined; sort?: 'created' | 'last_sign_in' | undefined; role?: string | undefined }, options?: CallOptions): List<User>
  /**
   * Get a user.
   *
   * Gets one user of an environment, for platform keys and administrators.
   *
   * Needs a platform key with the scope `users:read`, or an administrator with the role `developer` or above.
   */
  getUser(params: { project_id: string; environment_id: string; user_id: string }, options?: CallOptions): Promise<User>
  /**
   * Get what a user may do.
   *
   * Says which roles count for the user now, and which scopes of each resource server a new access token could have, for platform keys and administrators. A blocked user has neither.
   *
   * Needs a platform key with the scope `users:read`, or an administrator with the role `developer` or above.
   */
  getUserAccess(params: { project_id: string; environment_id: string; user_id: string; organization_id?: string | undefined }, options?: CallOptions): Promise<UserAccess>
  /**
   * Say why a person did not get in, by an address, an id or a sub.
   *
   * Says what is known of the last seven days about a person, by the address or the user id: factors, the answers of providers, refusals with their reason, and the field that decided each; and what keeps the person from signing in now. The address need not have an account. A key also needs `environments:read` and `webhooks:read`, as for refused calls and events.
   *
   * Needs a platform key with the scopes `users:read`, `environments:read` and `webhooks:read`, or an administrator with the role `developer` or above.
   */
  traceSignIns(params: { project_id: string; environment_id: string; person?: string | undefined }, options?: CallOptions): Promise<SignInTrace>
  /**
   * List the organizations of a user.
   *
   * Lists the memberships of a user, each with its organization, for platform keys and administrators. The newest organization is first.
   *
   * Needs a platform key with the scope `users:read`, or an administrator with the role `developer` or above. In the root tenant it is 403.
   */
  listUserOrganizations(params: { project_id: string; environment_id: string; user_id: string; limit?: number | undefined; cursor?: string | undefined }, options?: CallOptions): List<UserOrganization>
  /**
   * List organizations; with `query`, a page can be short and still have more.
   *
   * Lists the organizations of an environment, newest first, for platform keys and administrators. `query` can make pages short, as in the list of the runtime API.
   *
   * Needs a platform key with the scope `users:read`, or an administrator with the role `developer` or above. In the root tenant it is 403.
   */
  listOrganizations(params: { project_id: string; environment_id: string; limit?: number | undefined; cursor?: string | undefined; slug?: string | undefined; external_id?: string | undefined; query?: string | undefined }, options?: CallOptions): List<Organization>
  /**
   * Get an organization.
   *
   * Gets one organization of an environment, for platform keys and administrators.
   *
   * Needs a platform key with the scope `users:read`, or an administrator with the role `developer` or above. In the root tenant it is 403.
   */
  getOrganization(params: { project_id: string; environment_id: string; organization_id: string }, options?: CallOptions): Promise<Organization>
  /**
   * List the members of an organization; with `query`, a page can be short and still have more.
   *
   * Lists the members of an organization, the last added first, for platform keys and administrators. `query` can make pages short, as in the list of the runtime API.
   *
   * Needs a platform key with the scope `users:read`, or an administrator with the role `developer` or above. In the root tenant it is 403.
   */
  listOrganizationMembers(params: { project_id: string; environment_id: string; organization_id: string; limit?: number | undefined; cursor?: string | undefined; role?: string | undefined; query?: string | undefined }, options?: CallOptions): List<OrganizationMember>
  /**
   * Get a member of an organization.
   *
   * Gets one member of an organization, for platform keys and administrators.
   *
   * Needs a platform key with the scope `users:read`, or an administrator with the role `developer` or above. In the root tenant it is 403.
   */
  getOrganizationMember(params: { project_id: string; environment_id: string; organization_id: string; user_id: string }, options?: CallOptions): Promise<OrganizationMember>
  /**
   * List the invitations to an organization; with `status`, a page can be short and still have more.
   *
   * Lists the invitations to an organization, newest first, for platform keys and administrators. `status` can make pages short, as in the list of the runtime API.
   *
   * Needs a platform key with the scope `users:read`, or an administrator with the role `developer` or above. In the root tenant it is 403.
   */
  listOrganizationInvitations(params: { project_id: string; environment_id: string; organization_id: string; limit?: number | undefined; cursor?: string | undefined; status?: 'pending' | 'accepted' | 'ended' | undefined }, options?: CallOptions): List<OrganizationInvitation>
  /**
   * Get an invitation to an organization.
   *
   * Gets one invitation to an organization, for platform keys and administrators.
   *
   * Needs a platform key with the scope `users:read`, or an administrator with the role `developer` or above. In the root tenant it is 403.
   */
  getOrganizationInvitation(params: { project_id: string; environment_id: string; organization_id: string; invitation_id: string }, options?: CallOptions): Promise<OrganizationInvitation>
  /**
   * List the captured mail of a Test environment.
   *
   * Lists the mail that a Test environment kept instead of sending it, newest first.
   *
   * Needs a platform key with the scope `users:read`, or an administrator with the role `developer` or above.
   */
  listInbox(params: { project_id: string; environment_id: string; limit?: number | undefined; cursor?: string | undefined; to?: string | undefined }, options?: CallOptions): List<Mail>
  /**
   * Get a captured mail.
   *
   * Gets one captured mail with its text, its code and its link.
   *
   * Needs a platform key with the scope `users:read`, or an administrator with the role `developer` or above.
   */
  getInboxMail(params: { project_id: string; environment_id: string; mail_id: string }, options?: CallOptions): Promise<Mail>
  /**
   * List events; with `after`, oldest first from that sequence on.
   *
   * Lists the events of an environment, newest first. With `after`, it lists the later events oldest first: keep the last `sequence` and ask again.
   *
   * Needs a platform key with the scope `webhooks:read`, or an administrator with the role `developer` or above.
   */
  listEvents(params: { project_id: string; environment_id: string; limit?: number | undefined; cursor?: string | undefined; from?: string | undefined; to?: string | undefined; type?: EventKind | undefined; user_id?: string | undefined; application_id?: string | undefined; request_id?: string | undefined; after?: number | undefined }, options?: CallOptions): List<Event>
  /**
   * Get an event.
   *
   * Gets one event, as a webhook receives it.
   *
   * Needs a platform key with the scope `webhooks:read`, or an administrator with the role `developer` or above.
   */
  getEvent(params: { project_id: string; environment_id: string; event_id: string }, options?: CallOptions): Promise<Event>
  /**
   * List identity providers.
   *
   * Lists the identity providers of an environment, newest first.
   *
   * Needs a platform key with the scope `providers:read`, or an administrator with the role `viewer` or above.
   */
  listProviders(params: { project_id: string; environment_id: string; limit?: number | undefined; cursor?: string | undefined; slug?: string | undefined; query?: string | undefined }, options?: CallOptions): List<Provider>
  /**
   * Create an identity provider.
   *
   * Adds an identity provider, such as Google or an OpenID Provider of a company. Register `callback_url` there.
   *
   * Needs a platform key with the scope `providers:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment, and if the body has a secret.
   */
  createProvider(params: { project_id: string; environment_id: string }, body: ProviderCreation, options?: PostOptions): Promise<Provider>
  /**
   * Get an identity provider.
   *
   * Gets one identity provider, without its secrets.
   *
   * Needs a platform key with the scope `providers:read`, or an administrator with the role `viewer` or above.
   */
  getProvider(params: { project_id: string; environment_id: string; provider_id: string }, options?: CallOptions): Promise<Provider>
  /**
   * Update an identity provider.
   *
   * Changes the named fields. A secret that is not named stays.
   *
   * Needs a platform key with the scope `providers:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) if the body sends `client_secret` or `private_key`, and in a Live environment if the body changes `issuer`, `client_id`, `link_by_verified_email`, `accept_preferred_username`, `team_id` or `key_id`, and in a Live environment if the body turns on `enabled`.
   */
  changeProvider(params: { project_id: string; environment_id: string; provider_id: string }, body: ProviderChange, options?: ChangeOptions): Promise<Provider>
  /**
   * Read the metadata and the keys of an identity provider; 10 an hour.
   *
   * Reads the metadata and the keys of the provider now, and says what fails. The client id and secret are tried by a sign-in alone. An environment has 10 checks an hour.
   *
   * Needs a platform key with the scope `providers:write`, or an administrator with the role `developer` or above.
   */
  checkProvider(params: { project_id: string; environment_id: string; provider_id: string }, options?: PostOptions): Promise<ProviderCheck>
  /**
   * Delete an identity provider with all its linked identities.
   *
   * Deletes a provider and the links of users to it. The users stay; the sessions and grants that began with it end, and the event `user.updated` is raised for each link.
   *
   * Needs a platform key with the scope `providers:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  deleteProvider(params: { project_id: string; environment_id: string; provider_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * Count who would be hurt if a provider were deleted or switched off.
   *
   * Counts the live grants that began at a provider, the people who are linked with it, those of them without another way in, and the sign-ins of 30 days.
   *
   * Needs a platform key with the scope `providers:read`, or an administrator with the role `viewer` or above.
   */
  getProviderImpact(params: { project_id: string; environment_id: string; provider_id: string }, options?: CallOptions): Promise<Impact>
  /**
   * List webhooks.
   *
   * Lists the webhooks of an environment, newest first.
   *
   * Needs a platform key with the scope `webhooks:read`, or an administrator with the role `viewer` or above.
   */
  listWebhooks(params: { project_id: string; environment_id: string; limit?: number | undefined; cursor?: string | undefined; slug?: string | undefined; query?: string | undefined }, options?: CallOptions): List<Webhook>
  /**
   * Create a webhook; the secret is returned once.
   *
   * Registers a URL that gets events as signed POST requests (Standard Webhooks). `secret` verifies their signatures, and no later call returns it.
   *
   * Needs a platform key with the scope `webhooks:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes).
   */
  createWebhook(params: { project_id: string; environment_id: string }, body: WebhookCreation, options?: PostOptions): Promise<WebhookWithSecret>
  /**
   * Get a webhook.
   *
   * Gets one webhook with the state of its deliveries.
   *
   * Needs a platform key with the scope `webhooks:read`, or an administrator with the role `viewer` or above.
   */
  getWebhook(params: { project_id: string; environment_id: string; webhook_id: string }, options?: CallOptions): Promise<Webhook>
  /**
   * Update a webhook.
   *
   * Changes the named fields. `disabled: false` resumes the deliveries of a webhook that the service disabled.
   *
   * Needs a platform key with the scope `webhooks:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment if the body changes `url` or `events`, and in a Live environment if the body turns off `disabled`.
   */
  changeWebhook(params: { project_id: string; environment_id: string; webhook_id: string }, body: WebhookChange, options?: ChangeOptions): Promise<Webhook>
  /**
   * Delete a webhook with its deliveries.
   *
   * Deletes a webhook. Its deliveries are out of reach at once, and are removed after the answer.
   *
   * Needs a platform key with the scope `webhooks:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) in a Live environment.
   */
  deleteWebhook(params: { project_id: string; environment_id: string; webhook_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * Replace the secret, which is returned once; the one before signs for 24 more hours.
   *
   * Makes a new secret. The secret before it signs for 24 more hours, even after another rotation, so receivers can switch without a gap. At most five earlier secrets sign.
   *
   * Needs a platform key with the scope `webhooks:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes).
   */
  rotateWebhookSecret(params: { project_id: string; environment_id: string; webhook_id: string }, options?: PostOptions): Promise<WebhookWithSecret>
  /**
   * Send a test event.
   *
   * Sends the event `test.ping` to the webhook. Its delivery is in the list of deliveries. A disabled webhook gets no attempt: its delivery is given up at once.
   *
   * Needs a platform key with the scope `webhooks:write`, or an administrator with the role `developer` or above.
   */
  testWebhook(params: { project_id: string; environment_id: string; webhook_id: string }, options?: PostOptions): Promise<TestSent>
  /**
   * List deliveries with their attempts.
   *
   * Lists the deliveries of a webhook with their attempts, newest first.
   *
   * Needs a platform key with the scope `webhooks:read`, or an administrator with the role `developer` or above.
   */
  listDeliveries(params: { project_id: string; environment_id: string; webhook_id: string; limit?: number | undefined; cursor?: string | undefined; status?: 'waiting' | 'delivered' | 'given_up' | undefined; event_id?: string | undefined }, options?: CallOptions): List<Delivery>
  /**
   * Get a delivery with its attempts.
   *
   * Gets one delivery of an event to the webhook, with its attempts.
   *
   * Needs a platform key with the scope `webhooks:read`, or an administrator with the role `developer` or above.
   */
  getDelivery(params: { project_id: string; environment_id: string; webhook_id: string; message_id: string }, options?: CallOptions): Promise<Delivery>
  /**
   * Send a message again.
   *
   * Sends one message again, with the same `webhook-id`. A message that waits for a retry is sent now, and its schedule of retries begins again. For a disabled webhook it is given up without an attempt.
   *
   * Needs a platform key with the scope `webhooks:write`, or an administrator with the role `developer` or above.
   */
  resendDelivery(params: { project_id: string; environment_id: string; webhook_id: string; message_id: string }, options?: PostOptions): Promise<Delivery>
  /**
   * Send messages since a time again, or count them.
   *
   * Sends messages since a time again, for example after an outage of the receiver. Those that wait for their first attempt keep their place in the order. With `missed` it makes the messages of events that came while the webhook was disabled or did not exist, in the order of `sequence`, as far as events are kept.
   *
   * Needs a platform key with the scope `webhooks:write`, or an administrator with the role `developer` or above.
   */
  resendSince(params: { project_id: string; environment_id: string; webhook_id: string }, body: ResendSince, options?: PostOptions): Promise<Resent>
  /**
   * List back-channel logouts with their attempts.
   *
   * Lists the logout tokens that were sent to applications (OpenID Connect Back-Channel Logout 1.0), newest first, with the attempts.
   *
   * Needs a platform key with the scope `applications:read`, or an administrator with the role `developer` or above.
   */
  listBackchannelLogouts(params: { project_id: string; environment_id: string; limit?: number | undefined; cursor?: string | undefined }, options?: CallOptions): List<BackchannelLogout>
  /**
   * Send a back-channel logout again.
   *
   * Sends a back-channel logout again, with a new logout token.
   *
   * Needs a platform key with the scope `applications:write`, or an administrator with the role `developer` or above.
   */
  resendBackchannelLogout(params: { project_id: string; environment_id: string; message_id: string }, options?: PostOptions): Promise<BackchannelLogout>
  /**
   * Check whether the environment is ready for real users.
   *
   * Judges the environment: `ready` is true if no check of the level `required` fails. Each check says what to do.
   *
   * Needs a platform key with the scope `environments:read`, or an administrator with the role `viewer` or above.
   */
  getReadiness(params: { project_id: string; environment_id: string }, options?: CallOptions): Promise<Readiness>
  /**
   * Get counters per hour or day.
   *
   * Counts sign-ins, tokens, webhook attempts, uses of keys and refused calls per hour or day (UTC). Intervals without any are omitted.
   *
   * Needs a platform key with the scope `environments:read`, or an administrator with the role `viewer` or above.
   */
  getStatistics(params: { project_id: string; environment_id: string; from?: string | undefined; to?: string | undefined; interval?: 'hour' | 'day' | undefined }, options?: CallOptions): Promise<Statistics>
  /**
   * List refused calls of an environment.
   *
   * Lists the calls of the last 7 days that the service refused in this environment, newest first. `ip` and `user_agent` need the scope `users:read` as well.
   *
   * Needs a platform key with the scope `environments:read`, or an administrator with the role `developer` or above.
   */
  listRefusedCalls(params: { project_id: string; environment_id: string; limit?: number | undefined; cursor?: string | undefined; status?: number | undefined; code?: string | undefined; route?: string | undefined; application_id?: string | undefined; key_id?: string | undefined; from?: string | undefined; to?: string | undefined }, options?: CallOptions): List<RefusedCall>
  /**
   * Count refused calls of an environment by code and route.
   *
   * Counts the refused calls by code and route. `dropped` counts the calls over the limits of the record.
   *
   * Needs a platform key with the scope `environments:read`, or an administrator with the role `developer` or above.
   */
  summariseRefusedCalls(params: { project_id: string; environment_id: string; from?: string | undefined; to?: string | undefined }, options?: CallOptions): Promise<RefusedCallSummary>
  /**
   * Get a refused call by its request id.
   *
   * Gets one refused call by the X-Request-Id of its answer, which is also the reference on an error page.
   *
   * Needs a platform key with the scope `environments:read`, or an administrator with the role `developer` or above.
   */
  getRefusedCall(params: { project_id: string; environment_id: string; request_id: string }, options?: CallOptions): Promise<RefusedCall>
  /**
   * Name objects by their ids.
   *
   * Says what people call the objects of the ids: the email of a user, the name of an application, the label of a key. Ids that do not exist, or that the caller may not read, are left out. A key needs the scope that reads the object, such as `users:read`; an administrator needs the role `developer` for users.
   *
   * Needs a platform key with the scope `environments:read`, or an administrator with the role `viewer` or above.
   */
  listNames(params: { project_id: string; environment_id: string; ids?: string | undefined }, options?: CallOptions): Promise<Names>
  /**
   * List signing keys.
   *
   * Lists the signing keys of an environment with their states.
   *
   * Needs a platform key with the scope `env.settings:read`, or an administrator with the role `viewer` or above.
   */
  listSigningKeys(params: { project_id: string; environment_id: string; limit?: number | undefined; cursor?: string | undefined }, options?: CallOptions): List<SigningKey>
  /**
   * Publish the next signing key; it signs once all cached JWKS have expired.
   *
   * Publishes the next signing key of an algorithm. It signs once every cached key set has expired, so no verifier fails. With `now` the key that waits signs at once: read its `readers` first. The keys of the other algorithm stay as they are.
   *
   * Needs a platform key with the scope `env.settings:write`, or an administrator with the role `developer` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes).
   */
  rotateSigningKey(params: { project_id: string; environment_id: string; now?: 'true' | 'false' | undefined; alg?: SigningAlg | undefined }, options?: PostOptions): Promise<SigningKey>
  /**
   * Get the administrator and their memberships.
   *
   * Shows the administrator who calls, and the tenants with their roles.
   *
   * Needs an administrator.
   */
  me(options?: CallOptions): Promise<Me>
  /**
   * Find the tenant, project and environment of an id.
   *
   * Finds where an object belongs, from its id alone, if it is in a tenant of the administrator.
   *
   * Needs an administrator.
   */
  lookup(params: { id: string }, options?: CallOptions): Promise<Located>
  /**
   * List the tenants of the administrator.
   *
   * Lists the tenants in which the administrator is a member, newest first.
   *
   * Needs an administrator.
   */
  listTenants(params?: { limit?: number | undefined; cursor?: string | undefined; slug?: string | undefined; query?: string | undefined }, options?: CallOptions): List<Tenant>
  /**
   * Create a tenant; the administrator becomes its owner.
   *
   * Creates a tenant. The administrator becomes its owner.
   *
   * Needs an administrator.
   */
  createTenant(body: TenantCreation, options?: PostOptions): Promise<Tenant>
  /**
   * Get a tenant.
   *
   * Gets one tenant.
   *
   * Needs an administrator with the role `viewer` or above.
   */
  getTenant(params: { tenant_id: string }, options?: CallOptions): Promise<Tenant>
  /**
   * Update a tenant.
   *
   * Changes the name of a tenant. The slug never changes.
   *
   * Needs an administrator with the role `owner` or above.
   */
  changeTenant(params: { tenant_id: string }, body: TenantChange, options?: ChangeOptions): Promise<Tenant>
  /**
   * List members and pending invitations.
   *
   * Lists the members and the pending invitations of a tenant, newest first.
   *
   * Needs an administrator with the role `viewer` or above.
   */
  listMembers(params: { tenant_id: string; limit?: number | undefined; cursor?: string | undefined }, options?: CallOptions): List<Member>
  /**
   * Invite a person; the link is mailed, or returned once if the root environment has no mail.
   *
   * Invites a person. The link is mailed, or returned once as `invitation_url` if the root environment has no mail. It is valid for 7 days.
   *
   * Needs an administrator with the role `admin` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes).
   */
  addMember(params: { tenant_id: string }, body: MemberCreation, options?: PostOptions): Promise<Invitation>
  /**
   * Get a member or a pending invitation.
   *
   * Gets a member by the id of the user, or a pending invitation by its own id.
   *
   * Needs an administrator with the role `viewer` or above.
   */
  getMember(params: { tenant_id: string; member_id: string }, options?: CallOptions): Promise<Member>
  /**
   * Change the role of a member or of a pending invitation.
   *
   * Changes the role of a member or of a pending invitation. Nobody can grant a role above their own.
   *
   * Needs an administrator with the role `admin` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes).
   */
  changeMember(params: { tenant_id: string; member_id: string }, body: MemberChange, options?: ChangeOptions): Promise<Member>
  /**
   * Remove a member or a pending invitation; every member can leave.
   *
   * Removes a member or withdraws an invitation. The last owner cannot leave.
   *
   * Needs an administrator with the role `admin` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) to remove another member.
   */
  removeMember(params: { tenant_id: string; member_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * Replace the link of a pending invitation; it is mailed, or returned once if the root environment has no mail.
   *
   * Makes a new link for a pending invitation and ends the old one.
   *
   * Needs an administrator with the role `admin` or above.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes).
   */
  resendInvitation(params: { tenant_id: string; member_id: string }, options?: PostOptions): Promise<Invitation>
  /**
   * List the audit log; as application/jsonl, all of it.
   *
   * Lists the changes in a tenant, newest first. As `application/jsonl` it is the complete log, oldest first, which `hash` and `previous_hash` verify.
   *
   * Needs an administrator with the role `admin` or above.
   */
  listAuditLog(params: { tenant_id: string; limit?: number | undefined; cursor?: string | undefined; from?: string | undefined; to?: string | undefined; actor_id?: string | undefined; action?: string | undefined; object_id?: string | undefined }, options?: CallOptions): List<AuditEntry>
  /**
   * Verify the hash chain of the audit log.
   *
   * Recomputes the hash chain of the audit log, and reports altered, missing and forged entries.
   *
   * Needs an administrator with the role `admin` or above.
   */
  verifyAuditLog(params: { tenant_id: string }, options?: CallOptions): Promise<AuditVerification>
  /**
   * Get an entry of the audit log.
   *
   * Gets one entry of the audit log.
   *
   * Needs an administrator with the role `admin` or above.
   */
  getAuditEntry(params: { tenant_id: string; audit_entry_id: string }, options?: CallOptions): Promise<AuditEntry>
  /**
   * List refused calls of a tenant outside of its environments.
   *
   * Lists the refused calls of the tenant that belong to none of its environments, newest first.
   *
   * Needs an administrator with the role `admin` or above.
   */
  listRefusedCallsOfTenant(params: { tenant_id: string; limit?: number | undefined; cursor?: string | undefined; status?: number | undefined; code?: string | undefined; route?: string | undefined; application_id?: string | undefined; key_id?: string | undefined; from?: string | undefined; to?: string | undefined }, options?: CallOptions): List<RefusedCall>
  /**
   * Count such calls by code and route.
   *
   * Counts these calls by code and route.
   *
   * Needs an administrator with the role `admin` or above.
   */
  summariseRefusedCallsOfTenant(params: { tenant_id: string; from?: string | undefined; to?: string | undefined }, options?: CallOptions): Promise<RefusedCallSummary>
  /**
   * Get such a call by its request id.
   *
   * Gets one of these calls by the X-Request-Id of its answer.
   *
   * Needs an administrator with the role `admin` or above.
   */
  getRefusedCallOfTenant(params: { tenant_id: string; request_id: string }, options?: CallOptions): Promise<RefusedCall>
  /**
   * List platform keys.
   *
   * Lists the platform keys of a tenant, newest first, revoked ones included.
   *
   * Needs an administrator with the role `admin` or above. In the root tenant it is 404.
   */
  listPlatformKeys(params: { tenant_id: string; limit?: number | undefined; cursor?: string | undefined }, options?: CallOptions): List<ApiKey>
  /**
   * Create a platform key; the key is returned once.
   *
   * Creates a platform key with scopes. `key` is the plaintext, which no later call returns.
   *
   * Needs an administrator with the role `admin` or above. In the root tenant it is 404.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes).
   */
  createPlatformKey(params: { tenant_id: string }, body: PlatformKeyCreation, options?: PostOptions): Promise<ApiKeyWithPlaintext>
  /**
   * Get a platform key.
   *
   * Gets the record of one platform key, without its plaintext.
   *
   * Needs an administrator with the role `admin` or above. In the root tenant it is 404.
   */
  getPlatformKey(params: { tenant_id: string; key_id: string }, options?: CallOptions): Promise<ApiKey>
  /**
   * Update a platform key.
   *
   * Changes the label, the scopes, the addresses, the rate limit or the expiry of a key. The change counts from the next request on.
   *
   * Needs an administrator with the role `admin` or above. In the root tenant it is 404.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes) if the body widens `scopes`, `ip_allowlist`, `allowed_origins`, `rate_limit` or `expires_at`.
   */
  changePlatformKey(params: { tenant_id: string; key_id: string }, body: PlatformKeyChange, options?: ChangeOptions): Promise<ApiKey>
  /**
   * Revoke a platform key.
   *
   * Ends a platform key at once and for good. Its record stays readable. To revoke a revoked key changes nothing.
   *
   * Needs an administrator with the role `admin` or above. In the root tenant it is 404.
   */
  revokePlatformKey(params: { tenant_id: string; key_id: string }, options?: ChangeOptions): Promise<void>
  /**
   * Replace a platform key; the new one is returned once, the old one stops working.
   *
   * Replaces the plaintext of a key and keeps its id and settings. The old plaintext stops working before the response is sent.
   *
   * Needs an administrator with the role `admin` or above. In the root tenant it is 404.
   *
   * An administrator needs a fresh sign-in (`fresh_sign_in` of the project; by default of the last 10 minutes).
   */
  rotatePlatformKey(params: { tenant_id: string; key_id: string }, options?: PostOptions): Promise<ApiKeyWithPlaintext>
  /**
   * Get the uses of a platform key by hour, route and address.
   *
   * Counts the calls with the key by hour, route and address, newest hour first. An hour has at most 100 pairs of route and address; the others are counted as `other`.
   *
   * Needs an administrator with the role `admin` or above. In the root tenant it is 404.
   */
  platformKeyUsage(params: { tenant_id: string; key_id: string; from?: string | undefined; to?: string | undefined }, options?: CallOptions): Promise<KeyUsage>
  /**
   * List the templates of applications, one for each product.
   *
   * Lists what is known about products that others wrote: how each is registered as an application, and what stands in its own configuration. `POST …/applications` takes the slug of a template with the address of the product.
   */
  listApplicationTemplates(options?: CallOptions): Promise<ApplicationTemplates>
  /**
   * Get a template of an application.
   *
   * Gets the template of one product.
   */
  getApplicationTemplate(params: { template: string }, options?: CallOptions): Promise<ApplicationTemplate>
}

/** The method and the path of each operation. It has parameters (p), a body (b), and returns a list (l). */
export const routes: Readonly<Record<keyof Operations, string>> = {
  whoami: 'GET /v1/api-keys/whoami',
  authConfig: 'GET /v1/auth/config',
  validateToken: 'POST /v1/auth/tokens/validate b',
  listAuthUsers: 'GET /v1/auth/users pl',
  createUser: 'POST /v1/auth/users b',
  getAuthUser: 'GET /v1/auth/users/{user_id} p',
  changeUser: 'PATCH /v1/auth/users/{user_id} pb',
  deleteUser: 'DELETE /v1/auth/users/{user_id} p',
  restoreUser: 'POST /v1/auth/users/{user_id}/restore p',
  blockUser: 'POST /v1/auth/users/{user_id}/block p',
  unblockUser: 'POST /v1/auth/users/{user_id}/unblock p',
  approveUser: 'POST /v1/auth/users/{user_id}/approve p',
  refuseUser: 'POST /v1/auth/users/{user_id}/refuse p',
  createUserJob: 'POST /v1/auth/users/jobs b',
  getUserJob: 'GET /v1/auth/users/jobs/{user_job_id} p',
  listUserSessions: 'GET /v1/auth/users/{user_id}/sessions pl',
  endUserSessions: 'POST /v1/auth/users/{user_id}/end-sessions p',
  sendReset: 'POST /v1/auth/users/{user_id}/send-reset p',
  sendVerification: 'POST /v1/auth/users/{user_id}/send-verification p',
  getAuthUserAccess: 'GET /v1/auth/users/{user_id}/access p',
  listUserMethods: 'GET /v1/auth/users/{user_id}/methods pl',
  removeUserMethod: 'DELETE /v1/auth/users/{user_id}/methods/{method_id} p',
  listTrustedBrowsers: 'GET /v1/auth/users/{user_id}/trusted-browsers pl',
  removeTrustedBrowser: 'DELETE /v1/auth/users/{user_id}/trusted-browsers/{trusted_browser_id} p',
  listUserGrants: 'GET /v1/auth/users/{user_id}/grants pl',
  disconnectGrant: 'DELETE /v1/auth/users/{user_id}/grants/{grant_id} p',
  getSession: 'GET /v1/auth/sessions/{session_id} p',
  endSession: 'DELETE /v1/auth/sessions/{session_id} p',
  listAuthOrganizations: 'GET /v1/auth/organizations pl',
  createOrganization: 'POST /v1/auth/organizations b',
  getAuthOrganization: 'GET /v1/auth/organizations/{organization_id} p',
  changeOrganization: 'PATCH /v1/auth/organizations/{organization_id} pb',
  deleteOrganization: 'DELETE /v1/auth/organizations/{organization_id} p',
  listAuthOrganizationMembers: 'GET /v1/auth/organizations/{organization_id}/members pl',
  addOrganizationMember: 'POST /v1/auth/organizations/{organization_id}/members pb',
  getAuthOrganizationMember: 'GET /v1/auth/organizations/{organization_id}/members/{user_id} p',
  changeOrganizationMember: 'PATCH /v1/auth/organizations/{organization_id}/members/{user_id} pb',
  removeOrganizationMember: 'DELETE /v1/auth/organizations/{organization_id}/members/{user_id} p',
  listAuthOrganizationInvitations: 'GET /v1/auth/organizations/{organization_id}/invitations pl',
  inviteToOrganization: 'POST /v1/auth/organizations/{organization_id}/invitations pb',
  getAuthOrganizationInvitation: 'GET /v1/auth/organizations/{organization_id}/invitations/{invitation_id} p',
  deleteOrganizationInvitation: 'DELETE /v1/auth/organizations/{organization_id}/invitations/{invitation_id} p',
  resendOrganizationInvitation: 'POST /v1/auth/organizations/{organization_id}/invitations/{invitation_id}/resend p',
  listAuthUserOrganizations: 'GET /v1/auth/users/{user_id}/organizations pl',
  listProjects: 'GET /v1/platform/projects pl',
  createProject: 'POST /v1/platform/projects b',
  getProject: 'GET /v1/platform/projects/{project_id} p',
  changeProject: 'PATCH /v1/platform/projects/{project_id} pb',
  createPromotion: 'POST /v1/platform/projects/{project_id}/promotions pb',
  listPromotions: 'GET /v1/platform/projects/{project_id}/promotions pl',
  getPromotion: 'GET /v1/platform/projects/{project_id}/promotions/{promotion_id} p',
  approvePromotion: 'POST /v1/platform/projects/{project_id}/promotions/{promotion_id}/approve p',
  applyPromotion: 'POST /v1/platform/projects/{project_id}/promotions/{promotion_id}/apply pb',
  revertPromotion: 'POST /v1/platform/projects/{project_id}/promotions/{promotion_id}/revert pb',
  listEnvironments: 'GET /v1/platform/projects/{project_id}/environments pl',
  createEnvironment: 'POST /v1/platform/projects/{project_id}/environments pb',
  getEnvironment: 'GET /v1/platform/projects/{project_id}/environments/{environment_id} p',
  changeEnvironment: 'PATCH /v1/platform/projects/{project_id}/environments/{environment_id} pb',
  getSettings: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/settings p',
  changeSettings: 'PATCH /v1/platform/projects/{project_id}/environments/{environment_id}/settings pb',
  getMethodImpact: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/settings/impact p',
  previewSettings: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/settings/preview pb',
  testMail: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/settings/email/test pb',
  getConfiguration: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/configuration p',
  listApplications: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/applications pl',
  createApplication: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/applications pb',
  getApplication: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/applications/{application_id} p',
  changeApplication: 'PATCH /v1/platform/projects/{project_id}/environments/{environment_id}/applications/{application_id} pb',
  deleteApplication: 'DELETE /v1/platform/projects/{project_id}/environments/{environment_id}/applications/{application_id} p',
  getApplicationImpact: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/applications/{application_id}/impact p',
  rotateClientSecret: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/applications/{application_id}/rotate-secret p',
  listClientSecrets: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/applications/{application_id}/secrets pl',
  addClientSecret: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/applications/{application_id}/secrets pb',
  getClientSecret: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/applications/{application_id}/secrets/{client_secret_id} p',
  deleteClientSecret: 'DELETE /v1/platform/projects/{project_id}/environments/{environment_id}/applications/{application_id}/secrets/{client_secret_id} p',
  listMetadataClients: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/metadata-clients pl',
  createMetadataClient: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/metadata-clients pb',
  getMetadataClient: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/metadata-clients/{metadata_client_id} p',
  changeMetadataClient: 'PATCH /v1/platform/projects/{project_id}/environments/{environment_id}/metadata-clients/{metadata_client_id} pb',
  deleteMetadataClient: 'DELETE /v1/platform/projects/{project_id}/environments/{environment_id}/metadata-clients/{metadata_client_id} p',
  readMetadataClient: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/metadata-clients/{metadata_client_id}/read p',
  listResourceServers: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/resource-servers pl',
  createResourceServer: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/resource-servers pb',
  getResourceServer: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/resource-servers/{resource_server_id} p',
  changeResourceServer: 'PATCH /v1/platform/projects/{project_id}/environments/{environment_id}/resource-servers/{resource_server_id} pb',
  deleteResourceServer: 'DELETE /v1/platform/projects/{project_id}/environments/{environment_id}/resource-servers/{resource_server_id} p',
  getResourceServerImpact: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/resource-servers/{resource_server_id}/impact p',
  listRoles: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/roles pl',
  createRole: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/roles pb',
  getRole: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/roles/{role_id} p',
  changeRole: 'PATCH /v1/platform/projects/{project_id}/environments/{environment_id}/roles/{role_id} pb',
  deleteRole: 'DELETE /v1/platform/projects/{project_id}/environments/{environment_id}/roles/{role_id} p',
  previewRole: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/roles/{role_id}/preview pb',
  listAuthKeys: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/auth-keys pl',
  createAuthKey: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/auth-keys pb',
  getAuthKey: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/auth-keys/{key_id} p',
  changeAuthKey: 'PATCH /v1/platform/projects/{project_id}/environments/{environment_id}/auth-keys/{key_id} pb',
  revokeAuthKey: 'DELETE /v1/platform/projects/{project_id}/environments/{environment_id}/auth-keys/{key_id} p',
  rotateAuthKey: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/auth-keys/{key_id}/rotate p',
  authKeyUsage: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/auth-keys/{key_id}/usage p',
  getAuthKeyImpact: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/auth-keys/{key_id}/impact p',
  listUsers: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/users pl',
  getUser: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/users/{user_id} p',
  getUserAccess: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/users/{user_id}/access p',
  traceSignIns: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/users/trace p',
  listUserOrganizations: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/users/{user_id}/organizations pl',
  listOrganizations: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/organizations pl',
  getOrganization: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/organizations/{organization_id} p',
  listOrganizationMembers: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/organizations/{organization_id}/members pl',
  getOrganizationMember: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/organizations/{organization_id}/members/{user_id} p',
  listOrganizationInvitations: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/organizations/{organization_id}/invitations pl',
  getOrganizationInvitation: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/organizations/{organization_id}/invitations/{invitation_id} p',
  listInbox: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/inbox pl',
  getInboxMail: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/inbox/{mail_id} p',
  listEvents: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/events pl',
  getEvent: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/events/{event_id} p',
  listProviders: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/providers pl',
  createProvider: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/providers pb',
  getProvider: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/providers/{provider_id} p',
  changeProvider: 'PATCH /v1/platform/projects/{project_id}/environments/{environment_id}/providers/{provider_id} pb',
  checkProvider: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/providers/{provider_id}/check p',
  deleteProvider: 'DELETE /v1/platform/projects/{project_id}/environments/{environment_id}/providers/{provider_id} p',
  getProviderImpact: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/providers/{provider_id}/impact p',
  listWebhooks: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/webhooks pl',
  createWebhook: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/webhooks pb',
  getWebhook: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/webhooks/{webhook_id} p',
  changeWebhook: 'PATCH /v1/platform/projects/{project_id}/environments/{environment_id}/webhooks/{webhook_id} pb',
  deleteWebhook: 'DELETE /v1/platform/projects/{project_id}/environments/{environment_id}/webhooks/{webhook_id} p',
  rotateWebhookSecret: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/webhooks/{webhook_id}/rotate-secret p',
  testWebhook: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/webhooks/{webhook_id}/test p',
  listDeliveries: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/webhooks/{webhook_id}/deliveries pl',
  getDelivery: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/webhooks/{webhook_id}/deliveries/{message_id} p',
  resendDelivery: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/webhooks/{webhook_id}/deliveries/{message_id}/resend p',
  resendSince: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/webhooks/{webhook_id}/resend pb',
  listBackchannelLogouts: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/backchannel-logouts pl',
  resendBackchannelLogout: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/backchannel-logouts/{message_id}/resend p',
  getReadiness: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/readiness p',
  getStatistics: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/statistics p',
  listRefusedCalls: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/requests pl',
  summariseRefusedCalls: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/requests/summary p',
  getRefusedCall: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/requests/{request_id} p',
  listNames: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/names p',
  listSigningKeys: 'GET /v1/platform/projects/{project_id}/environments/{environment_id}/signing-keys pl',
  rotateSigningKey: 'POST /v1/platform/projects/{project_id}/environments/{environment_id}/signing-keys/rotate p',
  me: 'GET /v1/me',
  lookup: 'GET /v1/lookup/{id} p',
  listTenants: 'GET /v1/tenants pl',
  createTenant: 'POST /v1/tenants b',
  getTenant: 'GET /v1/tenants/{tenant_id} p',
  changeTenant: 'PATCH /v1/tenants/{tenant_id} pb',
  listMembers: 'GET /v1/tenants/{tenant_id}/members pl',
  addMember: 'POST /v1/tenants/{tenant_id}/members pb',
  getMember: 'GET /v1/tenants/{tenant_id}/members/{member_id} p',
  changeMember: 'PATCH /v1/tenants/{tenant_id}/members/{member_id} pb',
  removeMember: 'DELETE /v1/tenants/{tenant_id}/members/{member_id} p',
  resendInvitation: 'POST /v1/tenants/{tenant_id}/members/{member_id}/resend p',
  listAuditLog: 'GET /v1/tenants/{tenant_id}/audit-log pl',
  verifyAuditLog: 'GET /v1/tenants/{tenant_id}/audit-log/verify p',
  getAuditEntry: 'GET /v1/tenants/{tenant_id}/audit-log/{audit_entry_id} p',
  listRefusedCallsOfTenant: 'GET /v1/tenants/{tenant_id}/requests pl',
  summariseRefusedCallsOfTenant: 'GET /v1/tenants/{tenant_id}/requests/summary p',
  getRefusedCallOfTenant: 'GET /v1/tenants/{tenant_id}/requests/{request_id} p',
  listPlatformKeys: 'GET /v1/tenants/{tenant_id}/platform-keys pl',
  createPlatformKey: 'POST /v1/tenants/{tenant_id}/platform-keys pb',
  getPlatformKey: 'GET /v1/tenants/{tenant_id}/platform-keys/{key_id} p',
  changePlatformKey: 'PATCH /v1/tenants/{tenant_id}/platform-keys/{key_id} pb',
  revokePlatformKey: 'DELETE /v1/tenants/{tenant_id}/platform-keys/{key_id} p',
  rotatePlatformKey: 'POST /v1/tenants/{tenant_id}/platform-keys/{key_id}/rotate p',
  platformKeyUsage: 'GET /v1/tenants/{tenant_id}/platform-keys/{key_id}/usage p',
  listApplicationTemplates: 'GET /v1/application-templates',
  getApplicationTemplate: 'GET /v1/application-templates/{template} p',
}
