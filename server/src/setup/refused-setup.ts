/**
 * Keeps the values of a refused form of the first start for its page, for a minute: sealed in a cookie with the token of the link, which
 * the page has. The hosted pages do the same in `oidc/refused-form.ts` (decision 0156).
 */
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { openForBrowser, sealForBrowser } from '../deployment/secrets/secrets.ts'
import type { DashboardRequest } from '../http/dashboard-routes.ts'
import { type Answer, header, redirect } from '../oidc/call.ts'
import type { SetupView } from '../pages/setup.ts'

const kept_seconds = 60
const name = 'ostiary_refused_setup'
const { path } = serviceRoutes.setup

/** The typed values without the password, and their problems. */
type Shown = Pick<SetupView, 'values' | 'problems'>
/** The status of the page that replaces the form after the link has ended. */
type Ended = { readonly ended: 403 | 409 }

/** Longer fields are empty on the page: a cookie has room for 4,096 bytes. */
const longest_typed = 300
/** No token is longer, and the address leaves such a text out. */
const longest_token = 100

type Services = Pick<Deployment, 'secrets' | 'random' | 'now' | 'config'>

const keyOf = ({ secrets }: Services, token: string): Buffer => secrets.mac('key of a refused form', JSON.stringify(['setup', token]))

/** Leads the form to the address of its page. */
export function leadToSetup(services: Services, { token, values, problems }: SetupView): Answer {
  const short = (text: string) => (text.length > longest_typed ? '' : text)
  const typed = { tenant_name: short(values.tenant_name), slug: short(values.slug), email: short(values.email) }
  return lead(services, token, { values: typed, problems })
}

/** Leads a form whose link has ended to the address of the link. */
export const leadToEnded = (services: Services, token: string, ended: Ended['ended']): Answer =>
  lead(services, token.length > longest_token ? '' : token, { ended })

function lead(services: Services, token: string, shown: Shown | Ended): Answer {
  const plaintext = Buffer.from(JSON.stringify({ at: services.now().getTime(), shown }))
  const sealed = sealForBrowser(keyOf(services, token), services.random(12), plaintext, name)
  const { base_url } = services.config
  const secure = base_url.startsWith('https:') ? '; Secure' : ''
  const set_cookie = `${name}=${sealed}; Path=${path}; Max-Age=${kept_seconds}; HttpOnly; SameSite=Lax${secure}`
  return redirect(`${base_url}${path}?token=${encodeURIComponent(token)}`, { 'set-cookie': [set_cookie] })
}

/** Returns the values that the page shows again; `null` where nothing was refused in the last minute. */
export function readSetup(services: Services, request: DashboardRequest, token: string): Shown | Ended | null {
  const [, sealed = ''] = /(?:^|; ?)ostiary_refused_setup=([A-Za-z0-9_-]{1,4000})(?:;|$)/.exec(header(request, 'cookie') ?? '') ?? []
  const opened = sealed === '' ? null : openForBrowser(keyOf(services, token), sealed, name)
  if (!opened) return null
  const { at, shown } = JSON.parse(opened.toString('utf8')) as { at: number; shown: Shown | Ended } // as: only this file seals it
  const passed = services.now().getTime() - at
  return passed >= 0 && passed < kept_seconds * 1_000 ? shown : null
}
