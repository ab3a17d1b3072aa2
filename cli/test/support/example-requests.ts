/** What the examples of the API reference send. A row of the route table that is not here sends nothing but its path. */

interface ExampleRequest {
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Record<string, unknown>
  form?: Record<string, string>
  /** The parameters of the path that are not ids. */
  params?: Record<string, string>
  /** The operation that made the object of the path. Without it the object is one that others need. */
  of?: string
}

const asMarkdown = (name: string) => `${name}.md`
const redirect_uri = 'https://app.example.com/callback'

/** What only a run knows. */
export interface RunValues {
  access_token: string
  code: string
  code_verifier: string
  code_challenge: string
  id_token: string
  refresh_token: string
  client_id: string
  ids: string
  live_id: string
  tenant_id: string
  user_id: string
}

const authorization = (run: RunValues) => ({
  response_type: 'code',
  client_id: run.client_id,
  redirect_uri,
  scope: 'openid profile email offline_access',
  state: 'made-up-state',
  nonce: 'made-up-nonce',
  code_challenge: run.code_challenge,
  code_challenge_method: 'S256',
})

export const exampleRequests = (run: RunValues): Readonly<Record<string, ExampleRequest>> => ({
  authConfig: { headers: { Origin: 'https://app.example.com' } },
  validateToken: { body: { token: run.access_token } },
  createUser: { body: { email: 'grace@example.com', name: 'Grace Hopper' } },
  changeUser: { body: { name: 'Grace Brewster Hopper', roles: ['editor'], claims: { tier: 'gold' } }, of: 'createUser' },
  deleteUser: { of: 'createUser' },
  traceSignIns: { query: { person: 'ada@example.com' } },
  createUserJob: { body: { action: 'unblock', user_ids: [run.user_id] } },
  blockUser: { of: 'createUser' },
  unblockUser: { of: 'createUser' },
  restoreUser: { of: 'createUser' },
  approveUser: { of: 'a person who waits' },
  refuseUser: { of: 'another person who waits' },
  endUserSessions: { of: 'createUser' },
  sendReset: { of: 'createUser' },
  sendVerification: { of: 'createUser' },

  createOrganization: {
    body: { name: 'Acme', external_id: 'customer-42', claims: { plan: 'team' } },
  },
  changeOrganization: { body: { claims: { plan: 'enterprise' } }, of: 'createOrganization' },
  deleteOrganization: { of: 'createOrganization' },
  addOrganizationMember: { body: { user_id: run.user_id, roles: ['owner'] }, of: 'createOrganization' },
  changeOrganizationMember: { body: { roles: ['owner'] } },
  inviteToOrganization: { body: { email: 'grace@example.com', roles: ['owner'] }, of: 'createOrganization' },

  createProject: { body: { slug: 'store', name: 'Store' } },
  changeProject: { body: { name: 'Shop' } },
  createPromotion: {
    body: {
      document: { version: 1, environment: 'live', settings: { password: { min_length: 14 } } },
      to_environment_id: run.live_id,
      note: 'Release 12',
    },
  },
  approvePromotion: { headers: { 'X-Tenant-Id': run.tenant_id }, of: 'createPromotion' },
  applyPromotion: { body: { secrets: {} }, of: 'createPromotion' },
  revertPromotion: { body: { leave: [] }, of: 'createPromotion' },
  createEnvironment: { body: { slug: 'staging', name: 'Staging', type: 'test' } },
  changeEnvironment: { body: { name: 'Test' } },
  changeSettings: { body: { tokens: { access_token_ttl_seconds: 900 } } },
  previewSettings: { body: { branding: { display_name: 'Shop' }, page: 'sign_in' } },
  testMail: { body: { to: 'ada@example.com' } },

  createApplication: {
    body: {
      name: 'Shop',
      application_type: 'web',
      redirect_uris: ['https://shop.example.com/callback'],
      post_logout_redirect_uris: ['https://shop.example.com/'],
    },
  },
  changeApplication: { body: { name: 'Shop front' }, of: 'createApplication' },
  rotateClientSecret: { of: 'createApplication' },
  addClientSecret: { body: { label: 'From November on' } },
  deleteClientSecret: { of: 'addClientSecret' },
  deleteApplication: { of: 'createApplication' },
  createMetadataClient: { body: { client_id: 'https://agent.example.com/client.json' } },
  changeMetadataClient: { body: { disabled: true }, of: 'createMetadataClient' },
  readMetadataClient: { of: 'createMetadataClient' },
  deleteMetadataClient: { of: 'createMetadataClient' },
  createResourceServer: {
    body: {
      identifier: 'https://billing.example.com',
      name: 'Billing',
      scopes: [{ name: 'invoices:read', description: 'Read invoices' }],
    },
  },
  changeResourceServer: { body: { name: 'Billing API' }, of: 'createResourceServer' },
  deleteResourceServer: { of: 'createResourceServer' },
  createRole: {
    body: {
      name: 'Accountant',
      kind: 'user',
      permissions: [{ resource_server: 'orders', scopes: ['orders:read'] }],
    },
  },
  changeRole: { body: { description: 'Reads orders' }, of: 'createRole' },
  previewRole: { body: { permissions: [] }, of: 'createRole' },
  deleteRole: { of: 'createRole' },
  createAuthKey: { body: { type: 'auth_secret', label: 'Backend' } },
  changeAuthKey: { body: { label: 'Backend of the shop' }, of: 'createAuthKey' },
  rotateAuthKey: { of: 'createAuthKey' },
  revokeAuthKey: { of: 'createAuthKey' },
  createProvider: { body: { type: 'google', client_id: 'shop.apps.example.com', client_secret: 'made-up-secret' } },
  changeProvider: { body: { display_name: 'Google Workspace' }, of: 'createProvider' },
  checkProvider: { of: 'createProvider' },
  deleteProvider: { of: 'createProvider' },
  // Kinds that these examples do not cause, so that no delivery fails meanwhile.
  createWebhook: { body: { url: 'https://hooks.example.com/ostiary', events: ['token.reuse_detected', 'mail.failed'] } },
  changeWebhook: { body: { description: 'Alerts' }, of: 'createWebhook' },
  rotateWebhookSecret: { of: 'createWebhook' },
  deleteWebhook: { of: 'createWebhook' },
  resendSince: { body: { since: '2026-01-01T00:00:00.000Z', dry_run: true } },
  listNames: { query: { ids: run.ids } },

  createTenant: { body: { slug: 'initech', name: 'Initech' } },
  changeTenant: { body: { name: 'Acme' } },
  addMember: { body: { email: 'grace@example.com', role: 'developer' } },
  changeMember: { body: { role: 'viewer' }, of: 'addMember' },
  resendInvitation: { of: 'addMember' },
  removeMember: { of: 'addMember' },
  createPlatformKey: { body: { label: 'Pipeline', scopes: ['projects:read', 'applications:write'] } },
  changePlatformKey: { body: { label: 'Deployments' }, of: 'createPlatformKey' },
  rotatePlatformKey: { of: 'createPlatformKey' },
  revokePlatformKey: { of: 'createPlatformKey' },

  authorize: { query: authorization(run) },
  authorizeByPost: { form: authorization(run) },
  showForgotPassword: { query: authorization(run) },
  token: { form: { grant_type: 'authorization_code', code: run.code, redirect_uri, code_verifier: run.code_verifier } },
  revoke: { form: { token: run.refresh_token } },
  logout: { query: { id_token_hint: run.id_token, client_id: run.client_id } },
  logoutByPost: { form: { id_token_hint: run.id_token, client_id: run.client_id } },

  getApplicationTemplate: { params: { template: 'gatus' } },
  start: { headers: { Accept: 'application/json' } },
  documentSearch: { query: { q: 'slug taken' }, headers: { Accept: 'application/json' } },
  document: { params: { document: asMarkdown('quick-start') } },
  guide: { params: { document: asMarkdown('webhooks') } },
  settingsPage: { params: { document: asMarkdown('sessions') } },
  example: { params: { document: asMarkdown('spa') } },
  decision: { params: { document: asMarkdown('0012-events-and-audit') } },
  operatorExample: { params: { file: 'nginx.conf' } },
  referenceGroup: { params: { group: asMarkdown('projects') } },
  errorPage: { params: { code: asMarkdown('slug_taken') } },
})
