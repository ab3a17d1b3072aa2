/** The route table: every endpoint of the service, and no other exists. `route.ts` defines the columns. */
import { z } from 'zod'
import {
  ApiKey,
  ApiKeyWithPlaintext,
  AuthKeyChange,
  KeyIdentity,
  KeyUsage,
  KeyUsageQuery,
  NewAuthKey,
  NewPlatformKey,
  PlatformKeyChange,
} from './api-key.ts'
import { ApplicationTemplate, ApplicationTemplates } from './application-template.ts'
import { AuditEntry, AuditQuery, AuditVerification } from './audit.ts'
import { AuthConfig } from './auth-config.ts'
import { BackchannelLogout } from './backchannel-logout.ts'
import { ClientSecret, ClientSecretWithPlaintext, NewClientSecret } from './client-secret.ts'
import { Configuration } from './configuration.ts'
import { DashboardSession } from './dashboard.ts'
import { Delivery, DeliveryQuery, ResendSince, Resent, TestSent } from './delivery.ts'
import { DocumentationQuery, ReadinessQuery } from './documentation.ts'
import { Event, EventQuery } from './event.ts'
import {
  freshFields,
  newApplication,
  newEnvironment,
  newMetadataClient,
  newOrganization,
  newProject,
  newProvider,
  no_need,
} from './fresh.ts'
import { Impact, MethodImpactQuery, ScopeImpactQuery } from './impact.ts'
import { InboxQuery, Mail, MailAsked, MailTest, MailTested } from './mail.ts'
import { MetadataClient, MetadataClientChange, MetadataClientQuery, NewMetadataClient } from './metadata-client.ts'
import { Grant, GrantQuery, SignInMethod } from './method.ts'
import { Names, NamesQuery } from './names.ts'
import {
  Application,
  ApplicationChange,
  ApplicationInList,
  ApplicationQuery,
  ApplicationWithSecret,
  NewApplication,
} from './objects/application.ts'
import { NewProvider, Provider, ProviderChange, ProviderCheck } from './objects/provider.ts'
import { NewResourceServer, ResourceServer, ResourceServerChange } from './objects/resource-server.ts'
import { EnvironmentRole, NewRole, RoleChange } from './objects/role.ts'
import { NewWebhook, Webhook, WebhookChange, WebhookWithSecret } from './objects/webhook.ts'
import {
  NewOrganization,
  NewOrganizationInvitation,
  NewOrganizationMember,
  Organization,
  OrganizationChange,
  OrganizationInvitation,
  OrganizationInvitationQuery,
  OrganizationMember,
  OrganizationMemberChange,
  OrganizationMemberQuery,
  OrganizationQuery,
  UserOrganization,
} from './organization.ts'
import {
  NewPromotion,
  Promotion,
  PromotionApply,
  PromotionInList,
  PromotionQuery,
  PromotionRevert,
  PromotionWithSecrets,
  RevertOutcome,
} from './promotion.ts'
import { Readiness } from './readiness.ts'
import { RefusedCall, RefusedCallQuery, RefusedCallSummary, RefusedCallSummaryQuery } from './refused-call.ts'
import { RolePreview } from './role-preview.ts'
import {
  administrator,
  anyKey,
  bearer,
  client,
  del,
  get,
  open,
  patch,
  platform,
  platformWithAll,
  post,
  publishable,
  type Route,
  secret,
  session,
} from './route.ts'
import { Session, TokenToValidate, TokenVerdict } from './session.ts'
import { Settings, SettingsChange, SettingsPreview, SettingsToPreview } from './settings.ts'
import { SignInTrace, SignInTraceQuery } from './sign-in-trace.ts'
import { RotationQuery, SigningKey } from './signing-key.ts'
import { Statistics, StatisticsQuery } from './statistics.ts'
import {
  Environment,
  EnvironmentChange,
  Invitation,
  Located,
  Me,
  Member,
  MemberChange,
  NewEnvironment,
  NewMember,
  NewProject,
  NewTenant,
  Project,
  ProjectChange,
  ProjectWithEnvironments,
  Tenant,
  TenantChange,
} from './tenancy.ts'
import { TrustedBrowser } from './trusted-browser.ts'
import { NewUser, User, UserChange, UserDeletionQuery, UserQuery } from './user.ts'
import { UserAccess, UserAccessQuery } from './user-access.ts'
import { NewUserJob, UserJob } from './user-job.ts'
import { NamedQuery, PageQuery, page } from './values.ts'

const projects = '/v1/platform/projects'
const project = `${projects}/{project_id}`
const environments = `${project}/environments`
const promotions = `${project}/promotions`
const promotion = `${promotions}/{promotion_id}`
const environment = `${environments}/{environment_id}`
const applications = `${environment}/applications`
const clientSecrets = `${applications}/{application_id}/secrets`
const clientSecret = `${clientSecrets}/{client_secret_id}`
const metadataClients = `${environment}/metadata-clients`
const metadataClient = `${metadataClients}/{metadata_client_id}`
const resourceServers = `${environment}/resource-servers`
const roles = `${environment}/roles`
const authKeys = `${environment}/auth-keys`
const users = `${environment}/users`
const inbox = `${environment}/inbox`
const providers = `${environment}/providers`
const refusedCalls = `${environment}/requests`
const webhooks = `${environment}/webhooks`
const webhook = `${webhooks}/{webhook_id}`
const logouts = `${environment}/backchannel-logouts`
const authUser = '/v1/auth/users/{user_id}'
const authOrganizations = '/v1/auth/organizations'
const authOrganization = `${authOrganizations}/{organization_id}`
const organizations = `${environment}/organizations`
const organization = `${organizations}/{organization_id}`
const tenants = '/v1/tenants'
const tenant = `${tenants}/{tenant_id}`
const platformKeys = `${tenant}/platform-keys`
const members = `${tenant}/members`
const refusedCallsOfTenant = `${tenant}/requests`
const auditLog = `${tenant}/audit-log`

const paged = { query: PageQuery, fails: ['invalid_cursor'] } as const
const named = { query: NamedQuery, fails: ['invalid_cursor'] } as const
const usersQuery = PageQuery.extend(UserQuery.shape)

/** A document has the settings and every kind of object. */
const readsConfiguration = platformWithAll(
  'projects:read',
  'env.settings:read',
  'applications:read',
  'resource_servers:read',
  'providers:read',
  'webhooks:read',
)

/** Operators are the members of the root tenant. All of them are owners. */
const ownersOnly = z.looseObject({ role: z.literal('owner', 'The root tenant has only the role owner.').optional() })

/** Linking by email in the root tenant would let a provider sign in as any administrator. */
const noLinking = z.looseObject({
  link_by_verified_email: z.literal(false, 'Providers of the root tenant cannot link users by email.').nullish(),
})

/** The dashboard and the command line ask for this scope, so without it no administrator could sign in. */
const keepsOfflineAccess = z.looseObject({
  scopes: z
    .looseObject({
      disabled: z
        .array(z.string().refine((scope) => scope !== 'offline_access', 'The dashboard and the command line need this scope.'))
        .nullish(),
    })
    .nullish(),
})

/** The management and runtime API, relative to {base_url}. */
// biome-ignore format: this table is read by column
export const routes = {
  whoami:             get  ('/v1/api-keys/whoami',                       anyKey,                          'Get the identity and the permissions of the key',        { returns: [200, KeyIdentity] }),
  authConfig:         get  ('/v1/auth/config',                           publishable,                     'Get the public auth configuration of the environment',   { cache: 'private, max-age=60', returns: [200, AuthConfig] }),
  validateToken:      post ('/v1/auth/tokens/validate',                  secret(null),                    'Validate an access token',                               { body: TokenToValidate, returns: [200, TokenVerdict] }),

  listAuthUsers:      get  ('/v1/auth/users',                            secret('developer'),             'List users; with words or filters, a page can be short and still have more; as text/csv, all of them', { query: usersQuery, returns: [200, page(User)], fails: ['invalid_cursor'], lines: 'text/csv' }),
  createUser:         post ('/v1/auth/users',                            secret('developer'),             'Create a user',                                          { body: NewUser, returns: [201, User], fails: ['identifier_taken'], fresh: 'in_live' }),
  getAuthUser:        get  ('/v1/auth/users/{user_id}',                  secret('developer'),             'Get a user',                                             { returns: [200, User] }),
  changeUser:         patch('/v1/auth/users/{user_id}',                  secret('developer'),             'Update a user; a new password ends all sessions and grants', { body: UserChange, returns: [200, User], fails: ['identifier_taken'], fresh: { fields: freshFields.user } }),
  deleteUser:         del  ('/v1/auth/users/{user_id}',                  secret('developer'),             'Delete a user with all sessions and grants',             { query: UserDeletionQuery, returns: [204, null], fresh: 'in_live' }),
  restoreUser:        post (`${authUser}/restore`,                       secret('developer'),             'Restore a deleted user who is not erased yet',           { returns: [200, User], fresh: 'in_live' }),
  blockUser:          post ('/v1/auth/users/{user_id}/block',            secret('developer'),             'Block a user; all sessions and tokens end at once',      { returns: [200, User], operators: 'allowed', fresh: no_need.closes }),
  unblockUser:        post ('/v1/auth/users/{user_id}/unblock',          secret('developer'),             'Unblock a user',                                         { returns: [200, User], operators: 'allowed', fresh: 'in_live' }),
  approveUser:        post (`${authUser}/approve`,                       secret('developer'),             'Approve a user who waits',                               { returns: [200, User], fails: ['not_waiting'], fresh: 'in_live' }),
  refuseUser:         post (`${authUser}/refuse`,                        secret('developer'),             'Refuse a user who waits',                                { returns: [200, User], fails: ['not_waiting'], fresh: 'in_live' }),
  createUserJob:      post ('/v1/auth/users/jobs',                       secret('developer'),             'Block, unblock, sign out or delete many users',          { body: NewUserJob, returns: [202, UserJob], creates: true, fails: ['quota_exceeded'], operators: 'refused', fresh: 'in_live' }),
  getUserJob:         get  ('/v1/auth/users/jobs/{user_job_id}',         secret('developer'),             'Get a job over users',                                   { returns: [200, UserJob], operators: 'refused' }),
  listUserSessions:   get  ('/v1/auth/users/{user_id}/sessions',         secret('developer'),             'List the sessions of a user',                            { ...paged, returns: [200, page(Session)] }),
  endUserSessions:    post (`${authUser}/end-sessions`,                  secret('developer'),             'End all sessions and grants of a user',                  { returns: [200, User], operators: 'allowed', fresh: no_need.closes }),
  sendReset:          post (`${authUser}/send-reset`,                    secret('developer'),             'Mail a link with which the user chooses a new password', { returns: [202, MailAsked], fails: ['mail_not_set_up'], fresh: no_need.mails_owner }),
  sendVerification:   post (`${authUser}/send-verification`,             secret('developer'),             'Mail a code and a link that verify the email of a user',  { returns: [202, MailAsked], fails: ['mail_not_set_up'], fresh: no_need.mails_owner }),
  getAuthUserAccess:  get  (`${authUser}/access`,                        secret('developer'),             'Get what a user may do',                                 { query: UserAccessQuery, returns: [200, UserAccess] }),
  listUserMethods:    get  (`${authUser}/methods`,                       secret('developer'),             'List the sign-in methods of a user',                     { ...paged, returns: [200, page(SignInMethod)] }),
  removeUserMethod:   del  (`${authUser}/methods/{method_id}`,           secret('developer'),             'Remove a sign-in method; the sessions and grants that began with it end', { returns: [204, null], operators: 'allowed', fresh: 'in_live' }),
  listTrustedBrowsers: get (`${authUser}/trusted-browsers`,              secret('developer'),             'List the trusted browsers of a user',                    { ...paged, returns: [200, page(TrustedBrowser)] }),
  removeTrustedBrowser: del(`${authUser}/trusted-browsers/{trusted_browser_id}`, secret('developer'),     'Remove a trusted browser; the user is asked for the second factor there', { returns: [204, null], fresh: no_need.closes }),
  listUserGrants:     get  (`${authUser}/grants`,                        secret('developer'),             'List the active grants of a user',                       { query: PageQuery.extend(GrantQuery.shape), fails: ['invalid_cursor'], returns: [200, page(Grant)] }),
  disconnectGrant:    del  (`${authUser}/grants/{grant_id}`,             secret('developer'),             'Disconnect the application of a grant: all grants of the user for it end, and so does the consent', { returns: [204, null], fresh: no_need.closes }),
  getSession:         get  ('/v1/auth/sessions/{session_id}',            secret('developer'),             'Get a session',                                          { returns: [200, Session] }),
  endSession:         del  ('/v1/auth/sessions/{session_id}',            secret('developer'),             'End a session and revoke its tokens',                    { returns: [204, null], operators: 'allowed', fresh: no_need.closes }),

  listAuthOrganizations: get(authOrganizations,                          secret('developer'),             'List organizations; with `query`, a page can be short and still have more', { query: OrganizationQuery, returns: [200, page(Organization)], fails: ['invalid_cursor'], operators: 'refused' }),
  createOrganization: post (authOrganizations,                           secret('developer'),             'Create an organization, with up to 100 members',         { body: NewOrganization, returns: [201, Organization], fails: ['slug_taken', 'identifier_taken', 'quota_exceeded'], operators: 'refused', fresh: newOrganization }),
  getAuthOrganization: get (authOrganization,                            secret('developer'),             'Get an organization',                                    { returns: [200, Organization], operators: 'refused' }),
  changeOrganization: patch(authOrganization,                            secret('developer'),             'Update an organization',                                 { body: OrganizationChange, returns: [200, Organization], fails: ['identifier_taken'], operators: 'refused', fresh: { fields: freshFields.organization } }),
  deleteOrganization: del  (authOrganization,                            secret('developer'),             'Delete an organization with all its members',            { returns: [204, null], operators: 'refused', fresh: 'in_live' }),
  listAuthOrganizationMembers: get(`${authOrganization}/members`,        secret('developer'),             'List the members of an organization; with `query`, a page can be short and still have more', { query: OrganizationMemberQuery, returns: [200, page(OrganizationMember)], fails: ['invalid_cursor'], operators: 'refused' }),
  addOrganizationMember: post(`${authOrganization}/members`,             secret('developer'),             'Add a user to an organization',                          { body: NewOrganizationMember, returns: [201, OrganizationMember], fails: ['already_member', 'quota_exceeded'], operators: 'refused', fresh: 'in_live' }),
  getAuthOrganizationMember: get(`${authOrganization}/members/{user_id}`, secret('developer'),            'Get a member of an organization',                        { returns: [200, OrganizationMember], operators: 'refused' }),
  changeOrganizationMember: patch(`${authOrganization}/members/{user_id}`, secret('developer'),           'Update the roles of a member',                           { body: OrganizationMemberChange, returns: [200, OrganizationMember], operators: 'refused', fresh: { fields: freshFields.organization_member } }),
  removeOrganizationMember: del(`${authOrganization}/members/{user_id}`, secret('developer'),             'Remove a member from an organization',                   { returns: [204, null], operators: 'refused', fresh: no_need.closes }),
  listAuthOrganizationInvitations: get(`${authOrganization}/invitations`, secret('developer'),            'List the invitations to an organization; with `status`, a page can be short and still have more', { query: OrganizationInvitationQuery, returns: [200, page(OrganizationInvitation)], fails: ['invalid_cursor'], operators: 'refused' }),
  inviteToOrganization: post(`${authOrganization}/invitations`,          secret('developer'),             'Invite an address to an organization; the link is mailed, or returned once', { body: NewOrganizationInvitation, returns: [201, OrganizationInvitation], shown_once: 'invitation_url', fails: ['mail_not_set_up', 'quota_exceeded'], operators: 'refused', fresh: 'in_live' }),
  getAuthOrganizationInvitation: get(`${authOrganization}/invitations/{invitation_id}`, secret('developer'), 'Get an invitation to an organization',                 { returns: [200, OrganizationInvitation], operators: 'refused' }),
  deleteOrganizationInvitation: del(`${authOrganization}/invitations/{invitation_id}`, secret('developer'), 'Withdraw a pending invitation to an organization',      { returns: [204, null], operators: 'refused', fresh: no_need.closes }),
  resendOrganizationInvitation: post(`${authOrganization}/invitations/{invitation_id}/resend`, secret('developer'), 'Replace the link of a pending invitation; it is mailed, or returned once', { returns: [200, OrganizationInvitation], shown_once: 'invitation_url', fails: ['mail_not_set_up', 'quota_exceeded'], operators: 'refused', fresh: 'in_live' }),
  listAuthUserOrganizations: get(`${authUser}/organizations`,            secret('developer'),             'List the organizations of a user',                       { ...paged, returns: [200, page(UserOrganization)], operators: 'refused' }),

  listProjects:       get  (projects,                                    platform('projects:read'),       'List the projects of the tenant',                        { ...named, returns: [200, page(Project)] }),
  createProject:      post (projects,                                    platform('projects:write'),      'Create a project with a Test and a Live environment',    { body: NewProject, returns: [201, ProjectWithEnvironments], fails: ['slug_taken', 'issuer_taken', 'quota_exceeded'], fresh: newProject }),
  getProject:         get  (project,                                     platform('projects:read'),       'Get a project',                                          { returns: [200, Project] }),
  changeProject:      patch(project,                                     platform('projects:write'),      'Update a project',                                       { body: ProjectChange, returns: [200, Project], fresh: { fields: freshFields.project } }),

  createPromotion:    post (promotions,                                  { ...readsConfiguration, role: 'developer' }, 'Plan to bring a configuration to an environment', { body: NewPromotion, large_member: 'document', instead_of_large: 'from_environment_id', returns: [201, Promotion], operators: 'refused', fresh: no_need.plans }),
  listPromotions:     get  (promotions,                                  platform('projects:read'),       'List the promotions of a project',                       { query: PromotionQuery, returns: [200, page(PromotionInList)], fails: ['invalid_cursor'], operators: 'refused' }),
  getPromotion:       get  (promotion,                               platform('projects:read'),       'Get a promotion with its plan',                          { returns: [200, Promotion], operators: 'refused' }),
  approvePromotion:   post (`${promotion}/approve`,                      administrator('admin'),          'Approve a plan to a Live environment',                   { returns: [200, Promotion], fails: ['promotion_state', 'promotion_stale', 'promotion_blocked'], operators: 'refused', fresh: 'always' }),
  applyPromotion:     post (`${promotion}/apply`,                        platform('projects:write'),      'Apply a promotion; the secrets that it makes are returned once', { body: PromotionApply, returns: [200, PromotionWithSecrets], shown_once: 'secrets', fails: ['promotion_state', 'approval_required', 'promotion_stale', 'promotion_blocked'], operators: 'refused', fresh: 'promotion' }),
  revertPromotion:    post (`${promotion}/revert`,                       platform('projects:write'),      'Revert a promotion: every changed field gets its former value', { body: PromotionRevert, returns: [200, RevertOutcome], shown_once: 'secrets', fails: ['promotion_state', 'promotion_conflict', 'promotion_blocked'], operators: 'refused', fresh: 'promotion' }),

  listEnvironments:   get  (environments,                                platform('environments:read'),   'List the environments of a project',                     { ...named, returns: [200, page(Environment)] }),
  createEnvironment:  post (environments,                                platform('environments:write'),  'Create an environment',                                  { body: NewEnvironment, returns: [201, Environment], fails: ['slug_taken', 'issuer_taken', 'quota_exceeded'], fresh: newEnvironment }),
  getEnvironment:     get  (environment,                                 platform('environments:read'),   'Get an environment',                                     { returns: [200, Environment] }),
  changeEnvironment:  patch(environment,                                 platform('environments:write'),  'Update an environment',                                  { body: EnvironmentChange, returns: [200, Environment], fresh: no_need.names }),

  getSettings:        get  (`${environment}/settings`,                   platform('env.settings:read'),   'Get the settings of an environment',                     { returns: [200, Settings] }),
  changeSettings:     patch(`${environment}/settings`,                   platform('env.settings:write'),  'Update settings (merge patch; null restores a default)', { body: SettingsChange, returns: [200, Settings], operators: keepsOfflineAccess, configures: true, fresh: { fields: freshFields.settings } }),
  getMethodImpact:    get  (`${environment}/settings/impact`,            platform('env.settings:read'),   'Count who would be hurt if a sign-in method were switched off', { query: MethodImpactQuery, returns: [200, Impact] }),
  previewSettings:    post (`${environment}/settings/preview`,           platform('env.settings:write'),  'Show unsaved settings on a hosted page, in a frame of the dashboard', { body: SettingsToPreview, returns: [200, SettingsPreview], operators: 'allowed', fresh: no_need.shows }),
  testMail:           post (`${environment}/settings/email/test`,        platform('env.settings:write'),  'Send a test mail and report how far it got; 10 an hour',  { body: MailTest, returns: [200, MailTested], fails: ['mail_not_set_up'], operators: 'allowed', fresh: no_need.sends_again }),

  getConfiguration:   get  (`${environment}/configuration`,              readsConfiguration,              'Get the configuration of an environment as one document', { returns: [200, Configuration], operators: 'refused' }),

  listApplications:   get  (applications,                                platform('applications:read'),   'List applications, with their activity if that is asked for', { query: ApplicationQuery, fails: ['invalid_cursor'], returns: [200, page(ApplicationInList)] }),
  createApplication:  post (applications,                                platform('applications:write'),  'Create an application; the secret is returned once',     { body: NewApplication, returns: [201, ApplicationWithSecret], shown_once: 'client_secret', fails: ['slug_taken', 'quota_exceeded'], configures: true, fresh: newApplication }),
  getApplication:     get  (`${applications}/{application_id}`,          platform('applications:read'),   'Get an application',                                     { returns: [200, Application] }),
  changeApplication:  patch(`${applications}/{application_id}`,          platform('applications:write'),  'Update an application',                                  { body: ApplicationChange, returns: [200, Application], configures: true, fresh: { fields: freshFields.application } }),
  deleteApplication:  del  (`${applications}/{application_id}`,          platform('applications:write'),  'Delete an application with all its grants',              { returns: [204, null], configures: true, fresh: 'in_live' }),
  getApplicationImpact: get(`${applications}/{application_id}/impact`,   platform('applications:read'),   'Count who would be hurt if an application were deleted or disabled', { returns: [200, Impact] }),
  rotateClientSecret: post (`${applications}/{application_id}/rotate-secret`, platform('applications:write'), 'Replace the client secret; the new one is returned once, the old one stops working', { returns: [200, ApplicationWithSecret], shown_once: 'client_secret', fails: ['secret_not_used'], fresh: 'always' }),
  listClientSecrets:  get  (clientSecrets,                               platform('applications:read'),   'List the client secrets of an application',              { ...paged, returns: [200, page(ClientSecret)] }),
  addClientSecret:    post (clientSecrets,                               platform('applications:write'),  'Add a second client secret, which is returned once; the first one keeps working', { body: NewClientSecret, returns: [201, ClientSecretWithPlaintext], shown_once: 'client_secret', fails: ['secret_not_used', 'quota_exceeded'], fresh: 'always' }),
  getClientSecret:    get  (clientSecret,                                platform('applications:read'),   'Get a client secret without its plaintext',              { returns: [200, ClientSecret] }),
  deleteClientSecret: del  (clientSecret,                                platform('applications:write'),  'Delete a client secret; it stops working at once',       { returns: [204, null], fails: ['last_secret'], fresh: no_need.closes }),
  listMetadataClients: get (metadataClients,                             platform('applications:read'),   'List metadata clients',                                  { query: MetadataClientQuery, returns: [200, page(MetadataClient)], fails: ['invalid_cursor'] }),
  createMetadataClient: post(metadataClients,                            platform('applications:write'),  'Add a metadata client; its document is read',            { body: NewMetadataClient, returns: [201, MetadataClient], fails: ['identifier_taken', 'metadata_unavailable', 'metadata_invalid', 'metadata_busy', 'quota_exceeded'], fresh: newMetadataClient }),
  getMetadataClient:  get  (metadataClient,                              platform('applications:read'),   'Get a metadata client',                                  { returns: [200, MetadataClient] }),
  changeMetadataClient: patch(metadataClient,                            platform('applications:write'),  'Approve, disable or enable a metadata client',           { body: MetadataClientChange, returns: [200, MetadataClient], fresh: { fields: freshFields.metadata_client } }),
  deleteMetadataClient: del(metadataClient,                              platform('applications:write'),  'Delete a metadata client with all its grants',           { returns: [204, null], fresh: 'in_live' }),
  readMetadataClient: post (`${metadataClient}/read`,                    platform('applications:write'),  'Read the document of a metadata client again',           { returns: [200, MetadataClient], fails: ['metadata_unavailable', 'metadata_invalid', 'metadata_busy'], fresh: no_need.reads_again }),

  listResourceServers:  get  (resourceServers,                           platform('resource_servers:read'),  'List resource servers',                                  { ...named, returns: [200, page(ResourceServer)] }),
  createResourceServer: post (resourceServers,                           platform('resource_servers:write'), 'Create a resource server',                               { body: NewResourceServer, returns: [201, ResourceServer], fails: ['slug_taken', 'identifier_taken', 'quota_exceeded'], configures: true, fresh: 'in_live' }),
  getResourceServer:    get  (`${resourceServers}/{resource_server_id}`, platform('resource_servers:read'),  'Get a resource server',                                  { returns: [200, ResourceServer] }),
  changeResourceServer: patch(`${resourceServers}/{resource_server_id}`, platform('resource_servers:write'), 'Update a resource server',                               { body: ResourceServerChange, returns: [200, ResourceServer], configures: true, fresh: 'in_live' }),
  deleteResourceServer: del  (`${resourceServers}/{resource_server_id}`, platform('resource_servers:write'), 'Delete a resource server; issued tokens stay valid until they expire', { returns: [204, null], configures: true, fresh: 'in_live' }),
  getResourceServerImpact: get(`${resourceServers}/{resource_server_id}/impact`, platform('resource_servers:read'), 'Count who would be hurt if a resource server or one scope of it were deleted', { query: ScopeImpactQuery, returns: [200, Impact] }),

  listRoles:          get  (roles,                                       platform('resource_servers:read'),  'List roles',                                            { ...named, returns: [200, page(EnvironmentRole)], operators: 'refused' }),
  createRole:         post (roles,                                       platform('resource_servers:write'), 'Create a role',                                         { body: NewRole, returns: [201, EnvironmentRole], fails: ['slug_taken', 'quota_exceeded'], operators: 'refused', configures: true, fresh: 'in_live' }),
  getRole:            get  (`${roles}/{role_id}`,                        platform('resource_servers:read'),  'Get a role',                                            { returns: [200, EnvironmentRole], operators: 'refused' }),
  changeRole:         patch(`${roles}/{role_id}`,                        platform('resource_servers:write'), 'Update a role; its holders have the change at once',    { body: RoleChange, returns: [200, EnvironmentRole], fails: ['quota_exceeded'], operators: 'refused', configures: true, fresh: { fields: freshFields.role } }),
  deleteRole:         del  (`${roles}/{role_id}`,                        platform('resource_servers:write'), 'Delete a role; everyone loses it at once',              { returns: [204, null], operators: 'refused', configures: true, fresh: no_need.closes }),
  previewRole:        post (`${roles}/{role_id}/preview`,                platform('resource_servers:write'), 'Show what a change of a role would give and take',       { body: RoleChange, returns: [200, RolePreview], fails: ['quota_exceeded'], operators: 'refused', fresh: no_need.shows }),

  listAuthKeys:       get  (authKeys,                                    platform('auth_keys:read'),      'List auth keys',                                         { ...paged, returns: [200, page(ApiKey)] }),
  createAuthKey:      post (authKeys,                                    platform('auth_keys:write'),     'Create an auth key; the key is returned once',           { body: NewAuthKey, returns: [201, ApiKeyWithPlaintext], shown_once: 'key', fails: ['quota_exceeded'], fresh: 'always' }),
  getAuthKey:         get  (`${authKeys}/{key_id}`,                      platform('auth_keys:read'),      'Get an auth key',                                        { returns: [200, ApiKey] }),
  changeAuthKey:      patch(`${authKeys}/{key_id}`,                      platform('auth_keys:write'),     'Update an auth key',                                     { body: AuthKeyChange, returns: [200, ApiKey], fails: ['key_revoked'], fresh: { fields: freshFields.key } }),
  revokeAuthKey:      del  (`${authKeys}/{key_id}`,                      platform('auth_keys:write'),     'Revoke an auth key',                                     { returns: [204, null], fresh: no_need.closes }),
  rotateAuthKey:      post (`${authKeys}/{key_id}/rotate`,               platform('auth_keys:write'),     'Replace an auth key; the new one is returned once, the old one stops working', { returns: [200, ApiKeyWithPlaintext], shown_once: 'key', fails: ['key_revoked'], fresh: 'always' }),
  authKeyUsage:       get  (`${authKeys}/{key_id}/usage`,                platform('auth_keys:read'),      'Get the uses of an auth key by hour, route and address', { query: KeyUsageQuery, returns: [200, KeyUsage] }),
  getAuthKeyImpact:   get  (`${authKeys}/{key_id}/impact`,               platform('auth_keys:read'),      'Count who would be hurt if an auth key were revoked',    { returns: [200, Impact] }),

  listUsers:          get  (users,                                       platform('users:read', 'developer'),   'List users; with words or filters, a page can be short and still have more; as text/csv, all of them', { query: usersQuery, returns: [200, page(User)], fails: ['invalid_cursor'], lines: 'text/csv' }),
  getUser:            get  (`${users}/{user_id}`,                        platform('users:read', 'developer'),   'Get a user',                                             { returns: [200, User] }),
  getUserAccess:      get  (`${users}/{user_id}/access`,                 platform('users:read', 'developer'),   'Get what a user may do',                                 { query: UserAccessQuery, returns: [200, UserAccess] }),
  traceSignIns:       get  (`${users}/trace`,                            { ...platformWithAll('users:read', 'environments:read', 'webhooks:read'), role: 'developer' }, 'Say why a person did not get in, by an address, an id or a sub', { query: SignInTraceQuery, returns: [200, SignInTrace] }),

  listUserOrganizations: get(`${users}/{user_id}/organizations`,         platform('users:read', 'developer'),   'List the organizations of a user',                       { ...paged, returns: [200, page(UserOrganization)], operators: 'refused' }),
  listOrganizations:  get  (organizations,                               platform('users:read', 'developer'),   'List organizations; with `query`, a page can be short and still have more', { query: OrganizationQuery, returns: [200, page(Organization)], fails: ['invalid_cursor'], operators: 'refused' }),
  getOrganization:    get  (organization,                                platform('users:read', 'developer'),   'Get an organization',                                    { returns: [200, Organization], operators: 'refused' }),
  listOrganizationMembers: get(`${organization}/members`,                platform('users:read', 'developer'),   'List the members of an organization; with `query`, a page can be short and still have more', { query: OrganizationMemberQuery, returns: [200, page(OrganizationMember)], fails: ['invalid_cursor'], operators: 'refused' }),
  getOrganizationMember: get(`${organization}/members/{user_id}`,        platform('users:read', 'developer'),   'Get a member of an organization',                        { returns: [200, OrganizationMember], operators: 'refused' }),
  listOrganizationInvitations: get(`${organization}/invitations`,        platform('users:read', 'developer'),   'List the invitations to an organization; with `status`, a page can be short and still have more', { query: OrganizationInvitationQuery, returns: [200, page(OrganizationInvitation)], fails: ['invalid_cursor'], operators: 'refused' }),
  getOrganizationInvitation: get(`${organization}/invitations/{invitation_id}`, platform('users:read', 'developer'), 'Get an invitation to an organization',              { returns: [200, OrganizationInvitation], operators: 'refused' }),

  listInbox:          get  (inbox,                                       platform('users:read', 'developer'),   'List the captured mail of a Test environment',           { query: InboxQuery, returns: [200, page(Mail)], fails: ['invalid_cursor'] }),
  getInboxMail:       get  (`${inbox}/{mail_id}`,                        platform('users:read', 'developer'),   'Get a captured mail',                                    { returns: [200, Mail] }),

  listEvents:         get  (`${environment}/events`,                     platform('webhooks:read', 'developer'),'List events; with `after`, oldest first from that sequence on', { query: EventQuery, returns: [200, page(Event)], fails: ['invalid_cursor'] }),
  getEvent:           get  (`${environment}/events/{event_id}`,          platform('webhooks:read', 'developer'),'Get an event',                                          { returns: [200, Event] }),

  listProviders:      get  (providers,                                   platform('providers:read'),      'List identity providers',                                { ...named, returns: [200, page(Provider)] }),
  createProvider:     post (providers,                                   platform('providers:write'),     'Create an identity provider',                            { body: NewProvider, returns: [201, Provider], fails: ['slug_taken', 'quota_exceeded'], operators: noLinking, configures: true, fresh: newProvider }),
  getProvider:        get  (`${providers}/{provider_id}`,                platform('providers:read'),      'Get an identity provider',                               { returns: [200, Provider] }),
  changeProvider:     patch(`${providers}/{provider_id}`,                platform('providers:write'),     'Update an identity provider',                            { body: ProviderChange, returns: [200, Provider], operators: noLinking, configures: true, fresh: { fields: freshFields.provider } }),
  checkProvider:      post (`${providers}/{provider_id}/check`,          platform('providers:write'),     'Read the metadata and the keys of an identity provider; 10 an hour', { returns: [200, ProviderCheck], operators: 'allowed', fresh: no_need.shows }),
  deleteProvider:     del  (`${providers}/{provider_id}`,                platform('providers:write'),     'Delete an identity provider with all its linked identities', { returns: [204, null], fails: ['validation_failed'], operators: 'allowed', configures: true, fresh: 'in_live' }),
  getProviderImpact: get   (`${providers}/{provider_id}/impact`,         platform('providers:read'),      'Count who would be hurt if a provider were deleted or switched off', { returns: [200, Impact] }),

  listWebhooks:       get  (webhooks,                                    platform('webhooks:read'),       'List webhooks',                                          { ...named, returns: [200, page(Webhook)] }),
  createWebhook:      post (webhooks,                                    platform('webhooks:write'),      'Create a webhook; the secret is returned once',          { body: NewWebhook, returns: [201, WebhookWithSecret], shown_once: 'secret', fails: ['slug_taken', 'quota_exceeded'], configures: true, fresh: 'always' }),
  getWebhook:         get  (webhook,                                     platform('webhooks:read'),       'Get a webhook',                                          { returns: [200, Webhook] }),
  changeWebhook:      patch(webhook,                                     platform('webhooks:write'),      'Update a webhook',                                       { body: WebhookChange, returns: [200, Webhook], configures: true, fresh: { fields: freshFields.webhook } }),
  deleteWebhook:      del  (webhook,                                     platform('webhooks:write'),      'Delete a webhook with its deliveries',                   { returns: [204, null], configures: true, fresh: 'in_live' }),
  rotateWebhookSecret: post(`${webhook}/rotate-secret`,                  platform('webhooks:write'),      'Replace the secret, which is returned once; the one before signs for 24 more hours', { returns: [200, WebhookWithSecret], shown_once: 'secret', fresh: 'always' }),
  testWebhook:        post (`${webhook}/test`,                           platform('webhooks:write'),      'Send a test event',                                      { returns: [202, TestSent], fresh: no_need.sends_again }),
  listDeliveries:     get  (`${webhook}/deliveries`,                     platform('webhooks:read', 'developer'),'List deliveries with their attempts',                    { query: PageQuery.extend(DeliveryQuery.shape), returns: [200, page(Delivery)], fails: ['invalid_cursor'] }),
  getDelivery:        get  (`${webhook}/deliveries/{message_id}`,        platform('webhooks:read', 'developer'),'Get a delivery with its attempts',                       { returns: [200, Delivery] }),
  resendDelivery:     post (`${webhook}/deliveries/{message_id}/resend`, platform('webhooks:write'),      'Send a message again',                                   { returns: [202, Delivery], fresh: no_need.sends_again }),
  resendSince:        post (`${webhook}/resend`,                         platform('webhooks:write'),      'Send messages since a time again, or count them',        { body: ResendSince, returns: [202, Resent], fresh: no_need.sends_again }),

  listBackchannelLogouts:  get (logouts,                                 platform('applications:read', 'developer'), 'List back-channel logouts with their attempts',  { ...paged, returns: [200, page(BackchannelLogout)] }),
  resendBackchannelLogout: post(`${logouts}/{message_id}/resend`,        platform('applications:write'),  'Send a back-channel logout again',                       { returns: [202, BackchannelLogout], fresh: no_need.sends_again }),

  getReadiness:       get  (`${environment}/readiness`,                  platform('environments:read'),   'Check whether the environment is ready for real users',  { returns: [200, Readiness] }),

  getStatistics:      get  (`${environment}/statistics`,                 platform('environments:read'),   'Get counters per hour or day',                           { query: StatisticsQuery, returns: [200, Statistics] }),

  listRefusedCalls:   get  (refusedCalls,                                platform('environments:read', 'developer'), 'List refused calls of an environment',               { query: RefusedCallQuery, returns: [200, page(RefusedCall)], fails: ['invalid_cursor'] }),
  summariseRefusedCalls: get(`${refusedCalls}/summary`,                   platform('environments:read', 'developer'), 'Count refused calls of an environment by code and route', { query: RefusedCallSummaryQuery, returns: [200, RefusedCallSummary] }),
  getRefusedCall:     get  (`${refusedCalls}/{request_id}`,               platform('environments:read', 'developer'), 'Get a refused call by its request id',               { returns: [200, RefusedCall] }),

  listNames:          get  (`${environment}/names`,                      platform('environments:read'),   'Name objects by their ids',                              { query: NamesQuery, returns: [200, Names] }),

  listSigningKeys:    get  (`${environment}/signing-keys`,               platform('env.settings:read'),   'List signing keys',                                      { ...paged, returns: [200, page(SigningKey)] }),
  rotateSigningKey:   post (`${environment}/signing-keys/rotate`,        platform('env.settings:write'),  'Publish the next signing key; it signs once all cached JWKS have expired', { query: RotationQuery, returns: [200, SigningKey], fails: ['no_signing_key'], fresh: 'always' }),

  me:                 get  ('/v1/me',                                    administrator(null),             'Get the administrator and their memberships',            { returns: [200, Me] }),
  lookup:             get  ('/v1/lookup/{id}',                           administrator(null),             'Find the tenant, project and environment of an id',      { returns: [200, Located] }),
  listTenants:        get  (tenants,                                     administrator(null),             'List the tenants of the administrator',                  { ...named, returns: [200, page(Tenant)] }),
  createTenant:       post (tenants,                                     administrator(null),             'Create a tenant; the administrator becomes its owner',   { body: NewTenant, returns: [201, Tenant], fails: ['slug_taken', 'quota_exceeded'], fresh: no_need.own_tenant }),
  getTenant:          get  (tenant,                                      administrator('viewer'),         'Get a tenant',                                           { returns: [200, Tenant] }),
  changeTenant:       patch(tenant,                                      administrator('owner'),          'Update a tenant',                                        { body: TenantChange, returns: [200, Tenant], operators: 'allowed', fresh: no_need.names }),

  listMembers:        get  (members,                                     administrator('viewer'),         'List members and pending invitations',                   { ...paged, returns: [200, page(Member)] }),
  addMember:          post (members,                                     administrator('admin'),          'Invite a person; the link is mailed, or returned once if the root environment has no mail',             { body: NewMember, returns: [201, Invitation], shown_once: 'invitation_url', fails: ['insufficient_role', 'quota_exceeded'], operators: ownersOnly, fresh: 'always' }),
  getMember:          get  (`${members}/{member_id}`,                    administrator('viewer'),         'Get a member or a pending invitation',                   { returns: [200, Member] }),
  changeMember:       patch(`${members}/{member_id}`,                    administrator('admin'),          'Change the role of a member or of a pending invitation', { body: MemberChange, returns: [200, Member], fails: ['insufficient_role', 'last_owner'], operators: ownersOnly, fresh: 'always' }),
  removeMember:       del  (`${members}/{member_id}`,                    administrator('admin', 'viewer'), 'Remove a member or a pending invitation; every member can leave', { returns: [204, null], fails: ['insufficient_role', 'last_owner'], operators: 'allowed', fresh: 'other_members' }),
  resendInvitation:   post (`${members}/{member_id}/resend`,             administrator('admin'),          'Replace the link of a pending invitation; it is mailed, or returned once if the root environment has no mail', { returns: [200, Invitation], shown_once: 'invitation_url', fails: ['insufficient_role', 'quota_exceeded'], operators: 'allowed', fresh: 'always' }),
  listAuditLog:       get  (auditLog,                                    administrator('admin'),          'List the audit log; as application/jsonl, all of it',    { query: AuditQuery, returns: [200, page(AuditEntry)], fails: ['invalid_cursor'], lines: 'application/jsonl' }),
  verifyAuditLog:     get  (`${auditLog}/verify`,                        administrator('admin'),          'Verify the hash chain of the audit log',                 { returns: [200, AuditVerification] }),
  getAuditEntry:      get  (`${auditLog}/{audit_entry_id}`,              administrator('admin'),          'Get an entry of the audit log',                          { returns: [200, AuditEntry] }),

  listRefusedCallsOfTenant: get(refusedCallsOfTenant,                    administrator('admin'),          'List refused calls of a tenant outside of its environments', { query: RefusedCallQuery, returns: [200, page(RefusedCall)], fails: ['invalid_cursor'] }),
  summariseRefusedCallsOfTenant: get(`${refusedCallsOfTenant}/summary`,  administrator('admin'),          'Count such calls by code and route',                     { query: RefusedCallSummaryQuery, returns: [200, RefusedCallSummary] }),
  getRefusedCallOfTenant: get(`${refusedCallsOfTenant}/{request_id}`,     administrator('admin'),          'Get such a call by its request id',                      { returns: [200, RefusedCall] }),

  listPlatformKeys:   get  (platformKeys,                                administrator('admin'),          'List platform keys',                                     { ...paged, returns: [200, page(ApiKey)], operators: 'hidden' }),
  createPlatformKey:  post (platformKeys,                                administrator('admin'),          'Create a platform key; the key is returned once',        { body: NewPlatformKey, returns: [201, ApiKeyWithPlaintext], shown_once: 'key', fails: ['quota_exceeded'], operators: 'hidden', fresh: 'always' }),
  getPlatformKey:     get  (`${platformKeys}/{key_id}`,                  administrator('admin'),          'Get a platform key',                                     { returns: [200, ApiKey], operators: 'hidden' }),
  changePlatformKey:  patch(`${platformKeys}/{key_id}`,                  administrator('admin'),          'Update a platform key',                                  { body: PlatformKeyChange, returns: [200, ApiKey], fails: ['key_revoked'], operators: 'hidden', fresh: { fields: freshFields.key } }),
  revokePlatformKey:  del  (`${platformKeys}/{key_id}`,                  administrator('admin'),          'Revoke a platform key',                                  { returns: [204, null], operators: 'hidden', fresh: no_need.closes }),
  rotatePlatformKey:  post (`${platformKeys}/{key_id}/rotate`,           administrator('admin'),          'Replace a platform key; the new one is returned once, the old one stops working', { returns: [200, ApiKeyWithPlaintext], shown_once: 'key', fails: ['key_revoked'], operators: 'hidden', fresh: 'always' }),
  platformKeyUsage:   get  (`${platformKeys}/{key_id}/usage`,            administrator('admin'),          'Get the uses of a platform key by hour, route and address', { query: KeyUsageQuery, returns: [200, KeyUsage], operators: 'hidden' }),
} as const satisfies Record<string, Route>

const issuer = '/e/{environment_id}'

/**
 * The OpenID Connect endpoints and hosted pages. `/e/{environment_id}` is the default path of an issuer. Errors have the format of the
 * endpoint's RFC, not problem details.
 */
// biome-ignore format: this table is read by column
export const oidcRoutes = {
  discovery:           get (`${issuer}/.well-known/openid-configuration`,                   open,    'OpenID Provider metadata (OIDC Discovery 1.0 §4)',     { cross_origin: 'every', returns: [200, null] }),
  authorizationServer: get ('/.well-known/oauth-authorization-server/e/{environment_id}',   open,    'Authorization server metadata (RFC 8414 §3.1)',        { cross_origin: 'every', returns: [200, null] }),
  ownServer:           get (`${issuer}/.well-known/oauth-authorization-server`,             open,    'Authorization server metadata of an own host (RFC 8414)',{ cross_origin: 'every', returns: [200, null] }),
  jwks:                get (`${issuer}/v1/oauth/jwks.json`,                                 open,    'Signing keys (RFC 7517)',                              { cross_origin: 'every', returns: [200, null] }),
  authorize:           get (`${issuer}/oauth/authorize`,                                    open,    'Authorization request (OIDC Core §3.1.2)',             { page: true, returns: [303, null] }),
  authorizeByPost:     post(`${issuer}/oauth/authorize`,                                    open,    'Authorization request by POST (OIDC Core §3.1.2.1)',   { page: true, returns: [303, null] }),
  token:               post(`${issuer}/v1/oauth/token`,                                     client,  'Exchange a code or a refresh token (RFC 6749 §3.2)',   { cross_origin: 'clients', returns: [200, null] }),
  userinfo:            get (`${issuer}/v1/oauth/userinfo`,                                  bearer,  'Claims about the user (OIDC Core §5.3)',               { cross_origin: 'applications', returns: [200, null] }),
  userinfoByPost:      post(`${issuer}/v1/oauth/userinfo`,                                  bearer,  'Claims about the user, by POST (OIDC Core §5.3.1)',    { cross_origin: 'applications', returns: [200, null] }),
  revoke:              post(`${issuer}/v1/oauth/revoke`,                                    client,  'Revoke a token (RFC 7009)',                            { cross_origin: 'clients', returns: [200, null] }),
  logout:              get (`${issuer}/oauth/logout`,                                       open,    'Sign out (RP-Initiated Logout 1.0)',                   { page: true, returns: [303, null] }),
  logoutByPost:        post(`${issuer}/oauth/logout`,                                       open,    'Sign out, by POST',                                    { page: true, returns: [303, null] }),
  signedOut:           get (`${issuer}/oauth/signed-out/{provider_id}`,                     open,    'Return from a sign-out at an identity provider',       { page: true, returns: [303, null] }),
  signIn:              post(`${issuer}/sign-in`,                                            session, 'Submit the sign-in form',                              { page: true, returns: [303, null] }),
  showCodePage:        get (`${issuer}/code`,                                               session, 'The page that asks for an emailed code',               { page: true, returns: [200, null] }),
  enterCode:           post(`${issuer}/code`,                                               session, 'Submit the form for an emailed code',                  { page: true, returns: [303, null] }),
  showForgotPassword:  get (`${issuer}/forgot-password`,                                    open,    'The page that asks for a link to reset a password',    { page: true, returns: [200, null] }),
  forgotPassword:      post(`${issuer}/forgot-password`,                                    session, 'Ask for a link to reset a password',                   { page: true, returns: [303, null] }),
  showLink:            get (`${issuer}/link`,                                               open,    'The page of a mailed link',                            { page: true, returns: [200, null] }),
  useLink:             post(`${issuer}/link`,                                               session, 'Use a mailed link',                                    { page: true, returns: [200, null] }),
  showNewPasswordPage: get (`${issuer}/new-password`,                                       session, 'The page for a new password behind a mailed link',     { page: true, returns: [200, null] }),
  newPassword:         post(`${issuer}/new-password`,                                       session, 'Set a new password by a mailed link',                  { page: true, returns: [303, null] }),
  signUp:              post(`${issuer}/sign-up`,                                            session, 'Submit the sign-up form',                              { page: true, returns: [303, null] }),
  showSecondFactorPage: get (`${issuer}/second-factor`,                                     session, 'The page of the second factor or of its enrolment',    { page: true, returns: [200, null] }),
  secondFactor:        post(`${issuer}/second-factor`,                                      session, 'Submit a second factor',                               { page: true, returns: [303, null] }),
  enrolmentCode:       post(`${issuer}/enrolment-code`,                                     session, 'Submit the mailed code before an enrolment',           { page: true, returns: [303, null] }),
  openEnrolmentCode:   get (`${issuer}/enrolment-code`,                                     session, 'The page of that code, opened again',                  { page: true, returns: [303, null] }),
  openEnrolTotp:       get (`${issuer}/enrol-totp`,                                         session, 'The page of the app, opened again',                    { page: true, returns: [303, null] }),
  openEnrolPasskey:    get (`${issuer}/enrol-passkey`,                                      session, 'The page of the passkey, opened again',                { page: true, returns: [303, null] }),
  enrolTotp:           post(`${issuer}/enrol-totp`,                                         session, 'Submit the first code of an authenticator app',        { page: true, returns: [303, null] }),
  enrolPasskey:        post(`${issuer}/enrol-passkey`,                                      session, 'Add a passkey as the second factor of a sign-in',      { page: true, returns: [303, null] }),
  showRecoveryCodes:   get (`${issuer}/recovery-codes`,                                     session, 'New recovery codes, until they are confirmed',         { page: true, returns: [200, null] }),
  confirmRecoveryCodes: post(`${issuer}/recovery-codes`,                                    session, 'Confirm to have the new recovery codes',               { page: true, returns: [303, null] }),
  signInByPasskey:     post(`${issuer}/passkey`,                                            session, 'Sign in with a passkey',                               { page: true, returns: [303, null] }),
  offerPasskey:        post(`${issuer}/offer-passkey`,                                      session, 'Add a passkey after a sign-in, or put it off',         { page: true, returns: [303, null] }),
  selectAccount:       post(`${issuer}/select-account`,                                     session, 'Submit the account chooser',                            { page: true, returns: [303, null] }),
  selectOrganization:  post(`${issuer}/select-organization`,                                session, 'Choose the organization to act for',                    { page: true, returns: [303, null] }),
  saveProfile:         post(`${issuer}/profile`,                                            session, 'Give a name in a sign-in, or leave it out',             { page: true, returns: [303, null] }),
  consent:             post(`${issuer}/consent`,                                            session, 'Submit the consent form',                              { page: true, returns: [303, null] }),
  federate:            post(`${issuer}/federate`,                                           session, 'Start sign-in with an identity provider',              { page: true, returns: [303, null] }),
  callback:            get (`${issuer}/oauth/callback/{provider_id}`,                       open,    'Callback of an identity provider',                     { page: true, returns: [303, null] }),
  callbackByPost:      post(`${issuer}/oauth/callback/{provider_id}`,                       open,    'Callback of an identity provider by POST (Apple)',     { page: true, returns: [303, null] }),
  providerLogout:      post(`${issuer}/oauth/backchannel/{provider_id}`,                    open,    'Back-channel logout from an identity provider',        { returns: [200, null] }),
  showInvitation:      get (`${issuer}/invitation`,                                         open,    'The invitation page',                                  { page: true, returns: [200, null] }),
  acceptInvitation:    post(`${issuer}/invitation`,                                         session, 'Accept an invitation',                                 { page: true, returns: [200, null] }),
  showInvitationCode:  get (`${issuer}/invitation-code`,                                    open,    'The page for the code of an invitation to an organization', { page: true, returns: [200, null] }),
  enterInvitationCode: post(`${issuer}/invitation-code`,                                    session, 'Enter the code of an invitation to an organization',   { page: true, returns: [303, null] }),
  leadFromIssuer:      get (issuer,                                                         open,    'Lead from the address of the issuer to the account',   { page: true, returns: [303, null] }),
  leadFromRoot:        get (`${issuer}/`,                                                   open,    'Lead from the root of the issuer to the account',      { page: true, returns: [303, null] }),
  leadToPasswordChange: get (`${issuer}/.well-known/change-password`,                      open,    'Lead password managers to the change of a password',   { page: true, returns: [303, null] }),
  showAccount:         get (`${issuer}/account`,                                            open,    'The account page of the person',                       { page: true, returns: [200, null] }),
  showOwnOrganization: get (`${issuer}/organizations/{organization_id}`,                    open,    'The page of an organization for its members',          { page: true, returns: [200, null] }),
  changeOwnOrganization: post(`${issuer}/organizations/{organization_id}`,                  session, 'Invite to an organization, change the roles of a member, or remove one', { page: true, returns: [303, null] }),
  changeOwnName:       post(`${issuer}/account/change-name`,                                session, 'Change the own profile',                               { page: true, returns: [303, null] }),
  changeOwnEmail:      post(`${issuer}/account/change-email`,                               session, 'Change the own email',                                 { page: true, returns: [303, null] }),
  confirmOwnEmail:     post(`${issuer}/account/confirm-email`,                              session, 'Verify the own email',                                  { page: true, returns: [303, null] }),
  changeOwnPassword:   post(`${issuer}/account/change-password`,                            session, 'Set or change the own password',                       { page: true, returns: [303, null] }),
  addOwnPasskey:       post(`${issuer}/account/add-passkey`,                                session, 'Add a passkey to the own account',                     { page: true, returns: [303, null] }),
  addOwnTotp:          post(`${issuer}/account/add-totp`,                                   session, 'Add an authenticator app to the own account',          { page: true, returns: [303, null] }),
  renewOwnCodes:       post(`${issuer}/account/new-recovery-codes`,                         session, 'Replace the own recovery codes',                       { page: true, returns: [303, null] }),
  addOwnProvider:      post(`${issuer}/account/add-provider`,                               session, 'Connect a provider to the own account',                { page: true, returns: [303, null] }),
  removeOwnMethod:     post(`${issuer}/account/remove-method`,                              session, 'Remove an own sign-in method',                         { page: true, returns: [303, null] }),
  endOwnSession:       post(`${issuer}/account/end-session`,                                session, 'End one of the own sessions',                          { page: true, returns: [303, null] }),
  removeOwnTrustedBrowser: post(`${issuer}/account/remove-trusted-browser`,                 session, 'Remove one of the own trusted browsers',               { page: true, returns: [303, null] }),
  endOtherSessions:    post(`${issuer}/account/end-other-sessions`,                         session, 'End all own sessions but this one',                    { page: true, returns: [303, null] }),
  disconnect:          post(`${issuer}/account/disconnect`,                                 session, 'Disconnect an application from the own account',       { page: true, returns: [303, null] }),
  answerOwnInvitation: post(`${issuer}/account/invitation`,                                 session, 'Accept or decline an invitation to an organization',   { page: true, returns: [303, null] }),
  leaveOrganization:   post(`${issuer}/account/leave-organization`,                         session, 'Leave an organization',                                { page: true, returns: [303, null] }),
  exportOwnData:       post(`${issuer}/account/export`,                                     session, 'Download the own data as JSON',                        { page: true, returns: [200, null] }),
  deleteOwnAccount:    post(`${issuer}/account/delete-account`,                             session, 'Delete the own account',                               { page: true, returns: [200, null] }),
  signOut:             post(`${issuer}/sign-out`,                                           session, 'Submit the sign-out form',                             { page: true, returns: [303, null] }),
} as const satisfies Record<string, Route>

/** Health checks, the documentation of errors and the demo application. */
// biome-ignore format: this table is read by column
export const serviceRoutes = {
  start:        get('/',                   open, 'What this service is, with links: a page, or JSON by Accept',             { page: true, returns: [200, null] }),
  favicon:      get('/favicon.ico',        open, 'The icon of the service, as SVG',                                          { returns: [200, null] }),
  healthz:      get('/healthz',            open, 'Liveness: the process runs',                                               { returns: [200, null] }),
  readyz:       get('/readyz',             open, 'Readiness: the database is reachable and its schema is current',           { query: ReadinessQuery, returns: [200, null] }),
  protectedResource: get('/.well-known/oauth-protected-resource', open, 'Protected resource metadata: where administrators get tokens (RFC 9728)',  { cross_origin: 'every', returns: [200, null] }),
  openapi:      get('/openapi.json',       open, 'The API as an OpenAPI 3.1 document',                                        { cross_origin: 'every', cache: 'public, max-age=300', returns: [200, null] }),
  listApplicationTemplates: get('/v1/application-templates', open, 'List the templates of applications, one for each product',  { cross_origin: 'every', cache: 'public, max-age=300', returns: [200, ApplicationTemplates] }),
  getApplicationTemplate: get('/v1/application-templates/{template}', open, 'Get a template of an application',       { cross_origin: 'every', cache: 'public, max-age=300', returns: [200, ApplicationTemplate] }),
  configurationSchema: get('/schemas/configuration-1.json', open, 'The JSON Schema of configuration documents',                               { cross_origin: 'every', cache: 'public, max-age=300', returns: [200, null] }),
  forPrograms:  get('/llms.txt',           open, 'The list of documents, for programs that read',                            { cache: 'public, max-age=300', returns: [200, null] }),
  sdkPackage:   get('/sdk/{file}',         open, 'The client library as a package that npm installs',                        { cache: 'public, max-age=31536000, immutable', returns: [200, null] }),
  documents:    get('/docs',               open, 'The documentation',                                                        { page: true, cache: 'public, max-age=300', returns: [200, null] }),
  documentSearch: get('/docs/search',      open, 'Search the documentation: a page, or JSON by Accept',                      { page: true, query: DocumentationQuery, returns: [200, null] }),
  document:     get('/docs/{document}',    open, 'A document as a page, or as Markdown if its name ends with `.md`',         { page: true, cache: 'public, max-age=300', returns: [200, null] }),
  guide:        get('/docs/guides/{document}', open, 'A guide as a page or as Markdown',                                     { page: true, cache: 'public, max-age=300', returns: [200, null] }),
  settingsPage: get('/docs/settings/{document}', open, 'A group of settings as a page or as Markdown',                      { page: true, cache: 'public, max-age=300', returns: [200, null] }),
  example:      get('/docs/examples/{document}', open, 'An example program as a page or as Markdown',                     { page: true, cache: 'public, max-age=300', returns: [200, null] }),
  decision:     get('/docs/decisions/{document}', open, 'A design decision as a page or as Markdown',                        { page: true, cache: 'public, max-age=300', returns: [200, null] }),
  operatorExample: get('/docs/packaging/{file}', open, 'An example for operators, such as a systemd unit',                   { page: true, cache: 'public, max-age=300', returns: [200, null] }),
  reference:    get('/docs/api',           open, 'The API reference: an overview of all operations',                         { page: true, cache: 'public, max-age=300', returns: [200, null] }),
  referenceGroup: get('/docs/api/{group}', open, 'A group of operations in the API reference, or its schemas',               { page: true, cache: 'public, max-age=300', returns: [200, null] }),
  errorIndex:   get('/docs/errors',        open, 'All error codes',                                                          { page: true, cache: 'public, max-age=300', returns: [200, null] }),
  errorPage:    get('/docs/errors/{code}', open, 'Documentation of an error code',                                           { page: true, cache: 'public, max-age=300', returns: [200, null] }),
  setup:            get('/setup',              open,    'The page of the first start',                                          { page: true, returns: [200, null] }),
  createFirst:      post('/setup',             session, 'Create the first tenant and its owner',                                { page: true, returns: [303, null] }),
  dashboard:        get('/dashboard',          open,    'The dashboard: a browser application, at this path and every one below it', { page: true, returns: [200, null] }),
  dashboardSignIn:  get('/dashboard/sign-in',  open,    'Sign in to the dashboard',                                             { page: true, returns: [303, null] }),
  dashboardCallback: get('/dashboard/callback', open,   'Redirect URI of the dashboard',                                        { page: true, returns: [303, null] }),
  dashboardSession: get('/dashboard/session',  session, 'Who is signed in to the dashboard',                                    { returns: [200, DashboardSession] }),
  dashboardSignOut: post('/dashboard/sign-out', session, 'Sign out of the dashboard and of the session at the issuer',          { returns: [204, null] }),
  dashboardApi:     get('/dashboard/api/{path}', session, 'The API for the dashboard: any method, any path that begins with `v1/`', { returns: [200, null] }),
  dashboardPreview: get('/dashboard/preview',  session, 'A hosted page with unsaved settings, in a frame of the dashboard',           { page: true, returns: [200, null] }),
  tryCallback:  get('/try/callback',       open, 'Redirect URI of "Try sign-in" in the dashboard',                          { page: true, returns: [200, null] }),
  demo:         get('/demo',               open, 'Try the demo application, if `npm start` created one',                     { page: true, returns: [303, null] }),
  demoOrders:   get('/demo/orders',        bearer, 'The API of the demo: its orders, for the scope `orders:read`',              { returns: [200, null] }),
  deleteDemoOrder: del('/demo/orders/{order}', bearer, 'The API of the demo: delete an order, for the scope `orders:delete`', { returns: [200, null] }),
} as const satisfies Record<string, Route>

/** The service routes that are part of the API: the client library has a function for each. */
export const public_api = ['listApplicationTemplates', 'getApplicationTemplate'] as const satisfies (keyof typeof serviceRoutes)[]
