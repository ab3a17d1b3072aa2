/**
 * The first start in a browser. Without a tenant, `serve` prints a link with a token that only this process has in memory. Anyone who can read
 * the output of the service may create the first tenant; a stranger who visits first cannot. The token ends with the first tenant
 * and with the process.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import { Email, Name, Slug } from '@ostiary/contract/values.ts'
import { reason } from '../base/reason.ts'
import { type Refusal, refusal } from '../base/refusal.ts'
import { slugOf } from '../base/slug.ts'
import { sourceOf } from '../base/source.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Passwords } from '../domain/users/password.ts'
import type { AnswerDashboard, DashboardRequest } from '../http/dashboard-routes.ts'
import { rateLimited } from '../http/problem.ts'
import type { RateLimiter } from '../http/rate-limit.ts'
import { type Answer, header, redirect, refused } from '../oidc/call.ts'
import { readForm } from '../oidc/form.ts'
import { saysOtherSite } from '../oidc/form-token.ts'
import { html } from '../oidc/hosted-page.ts'
import { recorded } from '../oidc/refused-form.ts'
import { serviceContext } from '../pages/service.ts'
import { type SetupView, setUpPage, setupCommandPage, setupPage } from '../pages/setup.ts'
import { createFirstTenant, hasAdministrator, hasTenant, SetupRefused } from './first-tenant.ts'
import { leadToEnded, leadToSetup, readSetup } from './refused-setup.ts'

export interface FirstStart {
  /** The link for the first tenant; `null` where a tenant exists. */
  readonly url: string | null
  /** Reports whether nobody can sign in, since there is neither an owner nor an operator. */
  isWaiting(): Promise<boolean>
  answer(request: DashboardRequest, signIn: SignInOwner): ReturnType<AnswerDashboard>
}

/** Signs the new owner in to the dashboard. `null` where the person has to enter the password again. */
export type SignInOwner = (request: DashboardRequest, owner: { user_id: string; email: string }) => Promise<Answer | null>

/** For each address: the token cannot be guessed, so this only bounds the work. */
const visits = { limit: 60, window_seconds: 60 }

/** @param token 32 random bytes in base64url */
export async function createFirstStart(
  deployment: Deployment,
  { passwords, limiter }: { passwords: Passwords; limiter: RateLimiter },
  new_token: string,
): Promise<FirstStart> {
  const { config } = deployment
  const { base_url } = config
  let token = (await hasTenant(deployment)) ? null : new_token
  const isToken = (sent: string): boolean =>
    token !== null && timingSafeEqual(hash('sha256', sent, 'buffer'), hash('sha256', token, 'buffer'))

  async function create(request: DashboardRequest, signIn: SignInOwner): Promise<Answer> {
    const form = await readForm(request.raw, serviceRoutes.createFirst, () => request.ip)
    const sent = form instanceof URLSearchParams ? form : new URLSearchParams()
    const of_link = sent.get('token') ?? ''
    if (!isToken(of_link)) return refused(leadToEnded(deployment, of_link, 403), wrong_token)
    const { view, first } = readFirst(sent)
    const showAgain = (problems: Partial<SetupView['problems']>, why: Refusal) =>
      refused(leadToSetup(deployment, { ...view, problems: { ...view.problems, ...problems } }), why)
    if (!isOwnForm(request, base_url)) return showAgain({ form: 'foreign' }, foreign_form)
    if (!first) return showAgain({}, wrong_fields)
    let owner: { user_id: string }
    try {
      const by = { action: 'setup', request_id: request.request_id, ip: request.ip } as const
      owner = await createFirstTenant(deployment, passwords, first, { by, has_key: false })
    } catch (error) {
      if (!(error instanceof SetupRefused)) throw error
      if (error.problem === 'exists') {
        token = null
        return refused(leadToEnded(deployment, of_link, 409), exists)
      }
      const { problem: kind } = error
      if (kind === 'unknown_tenant') throw error
      const problem =
        kind === 'slug_taken' ? { slug: 'taken' as const } : kind === 'email_taken' ? { email: 'taken' as const } : { password: kind }
      return showAgain(problem, wrong_fields)
    }
    token = null
    deployment.log.info('The first tenant was created in a browser.', { request_id: request.request_id })
    const by_hand = `${base_url}${serviceRoutes.dashboardSignIn.path}?return_to=${encodeURIComponent(serviceRoutes.dashboard.path)}`
    return (await signIn(request, { ...owner, email: first.email })) ?? redirect(by_hand)
  }

  async function withoutToken({ headers }: DashboardRequest) {
    const context = serviceContext(base_url, headers['accept-language'])
    return (await hasTenant(deployment)) ? setUpPage(context) : setupCommandPage(context)
  }

  return {
    url: token && `${base_url}${serviceRoutes.setup.path}?token=${token}`,
    isWaiting: async () => token !== null && !(await hasAdministrator(deployment.db)),
    async answer(request, signIn) {
      const { allowed, retry_after_seconds } = await limiter.take(`setup.${sourceOf(request.ip)}`, visits)
      if (!allowed) throw rateLimited('Too many visits of this page. Try again shortly.', retry_after_seconds)
      if (request.method === 'POST') return create(request, signIn)
      const sent = new URLSearchParams(request.query).get('token') ?? ''
      const kept = readSetup(deployment, request, sent)
      if (!isToken(sent) || (await hasTenant(deployment))) {
        const page = await withoutToken(request)
        return kept && 'ended' in kept ? recorded(html(page, kept.ended)) : html(page)
      }
      const again = kept && 'values' in kept ? kept : null
      const plain = { values: { tenant_name: '', slug: '', email: '' }, problems: no_problems }
      const answer = html(setupPage(serviceContext(base_url, request.headers['accept-language']), { token: sent, ...(again ?? plain) }))
      return again ? recorded(answer) : answer
    },
  }
}

const no_problems: SetupView['problems'] = { form: null, tenant_name: null, slug: null, email: null, password: null }

/** The fields of the form; `first` is `null` where one cannot be accepted. */
function readFirst(sent: URLSearchParams) {
  const text = (name: string) => sent.get(name) ?? ''
  const [tenant_name, email, password] = [text('tenant_name').trim(), text('email').trim(), text('password')]
  const slug = text('slug').trim() || slugOf(tenant_name, 'tenant')
  const problems: SetupView['problems'] = {
    form: null,
    tenant_name: Name.safeParse(tenant_name).success ? null : 'wrong',
    slug: Slug.safeParse(slug).success ? null : 'wrong',
    email: Email.safeParse(email).success ? null : 'wrong',
    password: password === '' ? 'missing' : null,
  }
  const is_wrong = Object.values(problems).some((problem) => problem !== null)
  const view = { token: text('token'), values: { tenant_name, slug: text('slug').trim(), email }, problems }
  return { view, first: is_wrong ? null : { tenant_name, slug, email, password } }
}

/** The token is the secret of the form. These headers keep a page of another origin from sending a token that it has learned. */
const isOwnForm = (request: DashboardRequest, base_url: string): boolean =>
  !saysOtherSite({ origin: header(request, 'origin'), site: header(request, 'sec-fetch-site') }, new URL(base_url).origin)

const wrong_token = refusal('form_expired', reason`The form of the first start has another token than the link.`)
const foreign_form = refusal('form_expired', reason`The form of the first start was sent from a page of another origin.`)
const wrong_fields = refusal('validation_failed', reason`A field of the form of the first start is not accepted.`)
const exists = refusal('form_expired', reason`A tenant exists already.`)
