/** The composition root: the only file that knows all modules. Builds the HTTP application of one service. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify'
import { type Administrators, createAdministrators } from './api/administrators.ts'
import * as applications from './api/handlers/applications.ts'
import * as audit from './api/handlers/audit.ts'
import * as logouts from './api/handlers/backchannel-logouts.ts'
import * as configuration from './api/handlers/configuration.ts'
import * as events from './api/handlers/events.ts'
import * as impact from './api/handlers/impact.ts'
import * as keyHandlers from './api/handlers/keys.ts'
import * as mail from './api/handlers/mail.ts'
import * as members from './api/handlers/members.ts'
import * as metadataClients from './api/handlers/metadata-clients.ts'
import * as names from './api/handlers/names.ts'
import * as organizationInvitations from './api/handlers/organization-invitations.ts'
import * as organizationMembers from './api/handlers/organization-members.ts'
import * as organizations from './api/handlers/organizations.ts'
import * as promotionSteps from './api/handlers/promotion-steps.ts'
import * as promotions from './api/handlers/promotions.ts'
import * as providers from './api/handlers/providers.ts'
import * as readiness from './api/handlers/readiness.ts'
import * as requests from './api/handlers/refused-calls.ts'
import { replays } from './api/handlers/replays.ts'
import * as resourceServers from './api/handlers/resource-servers.ts'
import * as roles from './api/handlers/roles.ts'
import * as signInTrace from './api/handlers/sign-in-trace.ts'
import * as issuerHandlers from './api/handlers/signing-keys.ts'
import * as statistics from './api/handlers/statistics.ts'
import * as tenancy from './api/handlers/tenancy.ts'
import { touchedScopes } from './api/handlers/touched-scopes.ts'
import * as userAccess from './api/handlers/user-access.ts'
import * as user_jobs from './api/handlers/user-jobs.ts'
import * as userMail from './api/handlers/user-mails.ts'
import * as users from './api/handlers/users.ts'
import * as webhooks from './api/handlers/webhooks.ts'
import { mount } from './api/mount.ts'
import { describeRefused, shownInLog } from './api/refused-call.ts'
import { documents_root } from './base/assets.ts'
import { oneAtATime } from './base/one-at-a-time.ts'
import { createSlices } from './base/steps.ts'
import type { Deployment } from './deployment/deployment.ts'
import { isSpaOrigin } from './domain/applications/origins.ts'
import { createVerifications } from './domain/audit/verifications.ts'
import type { KeyStore } from './domain/keys/store.ts'
import { createPlanTurns } from './domain/promotions/turns.ts'
import { upstreamsWhenNeeded } from './domain/providers/profile.ts'
import { createApplicationScan } from './domain/readiness/store.ts'
import { createActiveCount } from './domain/users/active.ts'
import type { Passwords } from './domain/users/password.ts'
import type { WebhookHistories } from './domain/webhooks/history.ts'
import { createAccessLog, markReceived } from './http/access-log.ts'
import { createClientIpReader } from './http/client-ip.ts'
import { type AnswerDashboard, mountDashboardRoutes } from './http/dashboard-routes.ts'
import { createFinalSlash } from './http/final-slash.ts'
import { createAppListener } from './http/listen.ts'
import { createMethodGuard, unknownAddress } from './http/method-guard.ts'
import { placeOf } from './http/place.ts'
import { refuseQuery } from './http/query-guard.ts'
import type { RateLimiter } from './http/rate-limit.ts'
import { answerError } from './http/server-errors.ts'
import { mountServiceRoutes, type ServiceAnswers } from './http/service-routes.ts'
import { commonHeaders } from './http/write.ts'
import { type OidcServices, redirect } from './oidc/call.ts'
import { createClientDocuments } from './oidc/client-documents.ts'
import { createClientKeys } from './oidc/client-keys.ts'
import { discovery, jwks } from './oidc/endpoints/metadata.ts'
import { providerLogout } from './oidc/endpoints/provider-logout.ts'
import { revoke } from './oidc/endpoints/revoke.ts'
import { token } from './oidc/endpoints/token.ts'
import { userinfo } from './oidc/endpoints/userinfo.ts'
import { createErrorPages } from './oidc/error-page.ts'
import { disconnect, endOtherSessions, endOwnSession, removeOwnTrustedBrowser } from './oidc/flow/account/access.ts'
import { leadToAccount, leadToPasswordChange, showAccount } from './oidc/flow/account/account.ts'
import { changeOwnEmail, confirmOwnEmail } from './oidc/flow/account/address.ts'
import { deleteOwnAccount, exportOwnData } from './oidc/flow/account/data.ts'
import { addOwnPasskey, addOwnTotp, changeOwnPassword, removeOwnMethod, renewOwnCodes } from './oidc/flow/account/methods.ts'
import { answerOwnInvitation, leaveOrganization } from './oidc/flow/account/organizations.ts'
import { changeOwnName } from './oidc/flow/account/profile.ts'
import { authorize } from './oidc/flow/authorize/authorize.ts'
import { consent, selectAccount } from './oidc/flow/consent/consent.ts'
import { enterCode, showCodePage } from './oidc/flow/email-code/email-code.ts'
import { acceptInvitation, showInvitation } from './oidc/flow/invitation/invitation.ts'
import { enterInvitationCode, showInvitationCode } from './oidc/flow/invitation/invitation-code.ts'
import { showLink, useLink } from './oidc/flow/link/link.ts'
import { selectOrganization } from './oidc/flow/organization/organization.ts'
import { changeOwnOrganization, showOwnOrganization } from './oidc/flow/organization-page/organization-page.ts'
import { offerPasskey, signInByPasskey } from './oidc/flow/passkey/passkey.ts'
import { saveProfile } from './oidc/flow/profile/profile.ts'
import { addOwnProvider } from './oidc/flow/provider/connect.ts'
import { callback, federate } from './oidc/flow/provider/provider.ts'
import { forgotPassword, newPassword, showForgotPassword, showNewPasswordPage } from './oidc/flow/reset/reset.ts'
import { enrolmentCode, enrolPasskey, enrolTotp, openStepAgain } from './oidc/flow/second-factor/enrolment.ts'
import { confirmRecoveryCodes, showRecoveryCodes } from './oidc/flow/second-factor/recovery-codes.ts'
import { secondFactor, showSecondFactorPage } from './oidc/flow/second-factor/second-factor.ts'
import { continueUrl } from './oidc/flow/shared/continue.ts'
import { signIn, signUp } from './oidc/flow/sign-in/sign-in.ts'
import { logout, signedOut, signOut } from './oidc/flow/sign-out/logout.ts'
import { createHostRouting } from './oidc/host-routing.ts'
import type { Issuer, Issuers } from './oidc/issuer.ts'
import type { KeyPool } from './oidc/key-pool.ts'
import { mountOidc } from './oidc/mount.ts'
import { createFirstVerdicts } from './oidc/validation-notes.ts'
import { mark_icon } from './pages/favicon.ts'
import type { FirstStart } from './setup/first-start.ts'
import { cli_redirect_uri, type Root } from './setup/root.ts'
import { answerSession, answerSignOut, answerTryCallback } from './site/dashboard/answers.ts'
import { answerApplication } from './site/dashboard/application.ts'
import type { DashboardClient } from './site/dashboard/client.ts'
import { signInFirstOwner } from './site/dashboard/first-sign-in.ts'
import { createGate } from './site/dashboard/gate.ts'
import { answerPreview } from './site/dashboard/preview.ts'
import { beginDashboardSignIn, finishDashboardSignIn } from './site/dashboard/sign-in.ts'
import type { DashboardServices } from './site/dashboard/tokens.ts'
import { answerOrders } from './site/demo-api.ts'
import { createPackages } from './site/documents/packages.ts'
import type { createDocumentation } from './site/documents/serve.ts'
import { answerStart, demoUrl } from './site/documents/start.ts'
import type { createTemplateTexts } from './site/documents/templates.ts'
import type { Metrics } from './workers/metrics.ts'

export interface Modules {
  deployment: Deployment
  issuers: Issuers
  keys: KeyStore
  passwords: Passwords
  key_pool: KeyPool
  limiter: RateLimiter
  webhook_histories: WebhookHistories
  root: Root
  dashboard_client: DashboardClient
  first_start: FirstStart
  /** The folder of the built dashboard. */
  dashboard_folder: string
  /** The folder of the packages of the client library. */
  sdk_folder: string
  metrics: Metrics | null
  /** Reports whether the service accepts requests and its database answers. */
  isReady: () => Promise<boolean>
  /** True from the signal to stop on; see `http/write.ts`. */
  isStopping: () => boolean
  check_answers: boolean
}

export function createApp(modules: Modules): FastifyInstance {
  const { deployment, issuers } = modules
  const failing = { config: deployment.config, log: deployment.log, showError: createErrorPages(deployment, issuers) }
  const oidc_services = protocolServices(modules)
  const administrators = createAdministrators(deployment, issuers, modules.root)
  const dashboard = { ...oidc_services, issuers, root: modules.root, client: modules.dashboard_client, token }
  const addressOf = createClientIpReader(deployment.config.trusted_proxies)
  const admitDashboard = createGate(dashboard, addressOf)
  const routeHost = createHostRouting(deployment)
  const routeByHost: typeof routeHost = (request, response, handle) =>
    routeHost(request, response, (request, response) => admitDashboard(request, response, handle))
  const app = Fastify({
    logger: false,
    serverFactory: (handle) => createAppListener((request, response) => routeByHost(request, response, handle), deployment),
    exposeHeadRoutes: true,
    genReqId(raw) {
      markReceived(raw)
      return deployment.newId('req')
    },
    routerOptions: { maxParamLength: 200, querystringParser: unparsed }, // each route parses the query that it reads
    return503OnClosing: false,
    // zod validates bodies, and handlers answer with text, so Fastify's schema compilers are not even loaded.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: (error, request, reply) => void answerError(failing, error, request, reply),
    clientErrorHandler: () => {}, // the listener answers these
  })
  for (const method of app.supportedMethods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true }) // see http/body.ts
  decorate(app, modules, addressOf)
  app.decorate('routeByHost', routeByHost)
  const pageWithoutSlash = createFinalSlash()
  app.addHook('onRequest', (request, reply, done) => {
    const at = placeOf(request.raw)
    if (at) return done(at.kind === 'refused' ? at.error : undefined)
    const page = pageWithoutSlash(request)
    if (page === null) return done(refuseQuery(request) ?? undefined)
    reply.code(308).header('location', page).send('')
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(commonHeaders(reply))
    app.record(request, reply.statusCode)
    done(null, payload)
  })
  const methods = createMethodGuard()
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(failing, error, request, reply))
  app.setNotFoundHandler((request, reply) =>
    answerError(failing, methods.refuse(request) ?? unknownAddress(deployment.config.base_url, request), request, reply),
  )

  const refuseHidden = (request: FastifyRequest) => {
    throw methods.refuse(request)
  }
  for (const { method, path } of methods.hidden) app.route({ method, url: path, handler: refuseHidden })
  mountManagement(app, { ...modules, upstreams: oidc_services.upstreams, client_documents: oidc_services.client_documents }, administrators)
  mountProtocol(app, modules, oidc_services)
  mountDashboard(app, modules, dashboard, administrators)
  const { isReady, root } = modules
  mountServiceRoutes(app, {
    isReady: oneAtATime(isReady), // a read of the database
    areWritesFailing: () => modules.deployment.db.writes.failure !== null,
    answerStart: (headers) => answerStart(deployment, headers),
    favicon: mark_icon,
    resource_metadata: {
      resource: deployment.config.base_url,
      authorization_servers: [root.issuer],
      bearer_methods_supported: ['header'],
      client_id: root.client_id,
      redirect_uri: cli_redirect_uri,
    },
    documentation: documentationWhenNeeded(deployment.config.base_url),
    findTemplates: templatesWhenNeeded(),
    findConfigurationSchema: configurationSchemaWhenNeeded(deployment.config.base_url),
    findPackage: createPackages(modules.sdk_folder).find,
    findDemo: () => demoUrl(deployment),
    answerOrders: (call) => answerOrders(deployment, issuers, call),
  })
  return app
}

/** Loads the documentation at the first request for it, since most services never get one. */
function documentationWhenNeeded(base_url: string): ServiceAnswers['documentation'] {
  type Documentation = ReturnType<typeof createDocumentation>
  let loaded: Promise<Documentation> | null = null
  return () => {
    loaded ??= import('./site/documents/serve.ts').then((module) => module.createDocumentation(base_url, documents_root))
    return loaded
  }
}

/** Loads the templates of applications at the first request for one. */
function templatesWhenNeeded(): ServiceAnswers['findTemplates'] {
  let loaded: Promise<ReturnType<typeof createTemplateTexts>> | null = null
  return async (slug) => {
    loaded ??= import('./site/documents/templates.ts').then((module) => module.createTemplateTexts())
    return (await loaded).find(slug)
  }
}

/** Makes the schema of configuration documents at the first request for it. */
function configurationSchemaWhenNeeded(base_url: string): ServiceAnswers['findConfigurationSchema'] {
  let made: ReturnType<ServiceAnswers['findConfigurationSchema']> | null = null
  return () => {
    made ??= import('./site/documents/configuration-schema.ts').then((module) => module.configurationSchemaText(base_url))
    return made
  }
}

/** Adds the fields that `http/write.ts` and `api/mount.ts` declare. */
function decorate(
  app: FastifyInstance,
  { deployment: { config, log, tally, refused_calls, forwarders }, metrics, isStopping, check_answers }: Modules,
  addressOf: ReturnType<typeof createClientIpReader>,
): void {
  app.decorate('isStopping', isStopping)
  app.decorate('isHttps', config.base_url.startsWith('https:'))
  const writeLine = createAccessLog(log, metrics, tally)
  app.decorate('record', (request, status) => {
    const refused = request.refusal && describeRefused(request, request.refusal, status)
    if (check_answers && status >= 400 && !refused && !request.is_recorded) throw new Error(`The answer ${status} has no reason.`)
    writeLine(request, status, refused && shownInLog(refused))
    if (refused) refused_calls.note(refused)
    forwarders.note(request.raw)
  })
  app.decorateRequest('refusal', null)
  app.decorateRequest('is_recorded', false)
  app.decorateRequest('subject', null)
  app.decorateRequest('issuer_id', null)
  app.decorateRequest('claimant', null)
  app.decorateRequest('caller', null)
  app.decorateRequest('ip_address', {
    getter() {
      return addressOf(this)
    },
  })
  app.decorateReply('extra_headers', null)
}

const unparsed = () => ({})

function noSchemas(): never {
  throw new Error('No route has a schema that Fastify would compile.')
}

function mountManagement(
  app: FastifyInstance,
  modules: Modules & Pick<OidcServices, 'upstreams' | 'client_documents'>,
  administrators: Administrators,
): void {
  const { deployment, limiter, check_answers } = modules
  const { issuers, key_pool, passwords, root } = modules
  const services = {
    ...deployment,
    issuers,
    keys: modules.keys,
    key_pool,
    limiter,
    passwords,
    root,
    verifyLog: createVerifications(deployment),
    scanApplications: createApplicationScan(deployment),
    countActive: createActiveCount(deployment),
    isFirstVerdict: createFirstVerdicts(),
    upstreams: modules.upstreams,
    client_documents: modules.client_documents,
    plan_turns: createPlanTurns((ms, then) => {
      const timer = setTimeout(then, ms)
      return () => clearTimeout(timer)
    }),
    slices: createSlices({ elapsed: () => performance.now(), nextTurn }),
    webhook_histories: modules.webhook_histories,
  }
  const gate = {
    keys: modules.keys,
    limiter,
    administrators,
    counters: deployment.counters,
    now: deployment.now,
  }
  mount(
    app,
    { services, gate, check_answers, replays, touched_scopes: touchedScopes },
    {
      ...applications,
      ...audit,
      ...configuration,
      ...events,
      ...issuerHandlers,
      ...keyHandlers,
      ...logouts,
      ...mail,
      ...members,
      ...names,
      ...promotionSteps,
      ...promotions,
      ...providers,
      ...requests,
      ...readiness,
      ...resourceServers,
      ...roles,
      ...metadataClients,
      ...organizations,
      ...organizationMembers,
      ...organizationInvitations,
      ...statistics,
      ...tenancy,
      ...users,
      ...user_jobs,
      ...impact,
      ...signInTrace,
      ...userAccess,
      ...userMail,
      ...webhooks,
    },
  )
}

function mountDashboard(app: FastifyInstance, modules: Modules, services: DashboardServices, administrators: Administrators): void {
  const { first_start, deployment } = modules
  /** Before the first tenant nobody can sign in. The page of the first start says what to do. */
  const unlessWaiting =
    (answer: AnswerDashboard): AnswerDashboard =>
    async (request) =>
      (await first_start.isWaiting()) ? redirect(deployment.config.base_url + serviceRoutes.setup.path) : answer(request)
  mountDashboardRoutes(app, {
    application: unlessWaiting(answerApplication(services, modules.dashboard_folder)),
    signIn: unlessWaiting((request) => beginDashboardSignIn(services, request)),
    callback: (request) => finishDashboardSignIn(services, request),
    session: answerSession(services, administrators),
    signOut: answerSignOut(services),
    preview: answerPreview(services, administrators),
    tryCallback: answerTryCallback(modules.deployment),
    setup: (request) => first_start.answer(request, (from, owner) => signInFirstOwner(services, from, owner)),
  })
}

const protocolServices = ({ deployment, passwords, root }: Modules): OidcServices => ({
  ...deployment,
  passwords,
  root_environment_id: root.environment_id,
  client_keys: createClientKeys(deployment),
  client_documents: createClientDocuments(deployment),
  upstreams: upstreamsWhenNeeded(deployment),
  command_line_client_id: root.client_id,
})

function mountProtocol(app: FastifyInstance, { deployment, issuers }: Modules, services: OidcServices): void {
  const originAllowed = async (issuer: Issuer, origin: string) =>
    issuer.settings.cors.allowed_origins.includes(origin) || isSpaOrigin(deployment.db, issuer.environment_id, origin)
  mountOidc(
    app,
    { services, issuers, originAllowed, continueUrl },
    {
      discovery,
      authorizationServer: discovery,
      ownServer: discovery,
      jwks,
      authorize,
      authorizeByPost: authorize,
      token,
      userinfo,
      userinfoByPost: userinfo,
      revoke,
      logout,
      logoutByPost: logout,
      signedOut,
      signIn,
      showCodePage,
      enterCode,
      showForgotPassword,
      forgotPassword,
      showLink,
      useLink,
      showNewPasswordPage,
      newPassword,
      signUp,
      showSecondFactorPage,
      openEnrolmentCode: openStepAgain,
      openEnrolTotp: openStepAgain,
      openEnrolPasskey: openStepAgain,
      secondFactor,
      enrolmentCode,
      enrolTotp,
      enrolPasskey,
      showRecoveryCodes,
      confirmRecoveryCodes,
      signInByPasskey,
      offerPasskey,
      selectAccount,
      selectOrganization,
      saveProfile,
      consent,
      signOut,
      federate,
      callback,
      callbackByPost: callback,
      providerLogout,
      showInvitation,
      acceptInvitation,
      showInvitationCode,
      enterInvitationCode,
      leadFromIssuer: leadToAccount,
      leadFromRoot: leadToAccount,
      leadToPasswordChange,
      showAccount,
      showOwnOrganization,
      changeOwnOrganization,
      changeOwnName,
      changeOwnEmail,
      confirmOwnEmail,
      changeOwnPassword,
      addOwnPasskey,
      addOwnTotp,
      renewOwnCodes,
      addOwnProvider,
      removeOwnMethod,
      endOwnSession,
      endOtherSessions,
      removeOwnTrustedBrowser,
      disconnect,
      answerOwnInvitation,
      leaveOrganization,
      exportOwnData,
      deleteOwnAccount,
    },
  )
}
