/**
 * Serves the application: its files, and its entry page for every other path, since the views are paths of the application. Inline
 * scripts are not allowed. Mantine writes a style sheet for its breakpoints; the page has a nonce for it, new in every answer.
 */
import { reason } from '../../base/reason.ts'
import { refusal } from '../../base/refusal.ts'
import { findMemberships } from '../../domain/members/store.ts'
import { codingFor, tagOf } from '../../http/coded.ts'
import type { AnswerDashboard, DashboardAnswer } from '../../http/dashboard-routes.ts'
import { isKnown } from '../../http/if-none-match.ts'
import { not_indexed } from '../../http/not-indexed.ts'
import { notFound } from '../../http/problem.ts'
import { html } from '../../oidc/hosted-page.ts'
import { notBuiltPage } from '../../pages/dashboard.ts'
import { serviceContext } from '../../pages/service.ts'
import { createFiles, type ServedFile } from './files.ts'
import { findByCookie } from './session.ts'
import { isActive } from './store.ts'
import type { DashboardServices } from './tokens.ts'

/** The build has this text wherever the nonce belongs. */
const nonce_placeholder = '__CSP_NONCE__'

/** The names of these files contain their hash, so they never change. */
const is_hashed = /^assets\//

export function answerApplication(services: DashboardServices, folder: string): AnswerDashboard {
  const files = createFiles(folder)
  const { config, random } = services
  const { base_url, issuer_hosts } = config

  return async ({ path, headers }) => {
    const name = path.replace(/^\/dashboard\/?/, '')
    const file = await files.find(name)
    if (file) return answerFile(file, headers, is_hashed.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache')
    // The page of an older build asks for a file that is gone; the entry page in its place would be read as a script.
    if (is_hashed.test(name)) throw notFound(reason`The build of the dashboard has no such file.`)
    const index = files.index()
    if (index === null) return notBuilt(base_url, headers['accept-language'])
    const nonce = random(16).toString('base64url')
    const is_from_elsewhere = issuer_hosts.length > 0 && headers['sec-fetch-site'] === 'cross-site'
    const issuers = issuer_hosts.length > 0 ? await issuersOf(services, headers.cookie) : []
    return {
      status: 200,
      headers: {
        ...page_headers,
        // A browser sends no SameSite=Strict cookie with a request that another site caused. It does with the one that the page causes.
        ...(is_from_elsewhere ? { refresh: '0' } : {}),
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': policy(nonce, issuers),
      },
      body: index.replaceAll(nonce_placeholder, nonce),
    }
  }
}

const page_headers = {
  ...not_indexed,
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
}

/** The hosts of issuers that the person of the session may see: the hosts of another tenant would name a customer of the deployment. */
async function issuersOf(services: DashboardServices, cookies: string | undefined): Promise<string[]> {
  const session = await findByCookie(services, cookies)
  if (!session || !isActive(session, services.now())) return []
  const own = new Set((await findMemberships(services.db, session.user_id)).map(({ slug }) => slug))
  // An entry for no tenant applies while there is only one, of which every administrator is a member.
  const seen = services.config.issuer_hosts.filter(({ tenant_slug }) => tenant_slug === null || own.has(tenant_slug))
  return seen.map(({ pattern }) => `https://${pattern}:*`)
}

/** "Try sign-in" calls the token endpoint of an issuer, which may have a host of its own. */
const policy = (nonce: string, issuers: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${["'self'", ...issuers].join(' ')}`,
    "frame-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

function answerFile(file: ServedFile, headers: Parameters<AnswerDashboard>[0]['headers'], cache: string): DashboardAnswer {
  const coding = codingFor(headers['accept-encoding'], file.coded)
  const etag = tagOf(file.etag, coding)
  const common = {
    'cache-control': cache,
    'cross-origin-resource-policy': 'same-origin',
    etag,
    vary: 'Accept-Encoding',
  }
  if (isKnown(headers['if-none-match'], etag)) return { status: 304, headers: common, body: '' }
  const coded = coding === null ? undefined : file.coded[coding]
  return {
    status: 200,
    headers: { ...common, 'content-type': file.type, ...(coded && coding ? { 'content-encoding': coding } : {}) },
    body: coded ?? file.body,
  }
}

function notBuilt(base_url: string, accept_language: string | undefined): DashboardAnswer {
  const answer = html(notBuiltPage(serviceContext(base_url, accept_language)))
  return { ...answer, refusal: not_built }
}

const not_built = refusal('unavailable', reason`The dashboard is not built yet.`)
