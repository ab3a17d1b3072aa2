/** The page that a browser gets instead of a problem response: below the path of an issuer with the brand of that environment. */
import { oidcRoutes } from '@ostiary/contract/routes.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { ApiError } from '../http/problem.ts'
import type { ShowError } from '../http/server-errors.ts'
import { type MessageKind, messagePage } from '../pages/message.ts'
import { serviceContext } from '../pages/service.ts'
import { accountUrl } from './account-url.ts'
import { addressOf, html, pageContext } from './hosted-page.ts'
import { type Issuer, type Issuers, issuerAt } from './issuer.ts'

export function createErrorPages({ config, log }: Pick<Deployment, 'config' | 'log'>, issuers: Issuers): ShowError {
  /** A page must also appear while the database is out of reach; then it has no brand. */
  async function findIssuer({ id: request_id, url, raw }: Parameters<ShowError>[1]): Promise<Issuer | null> {
    const [, id] = /^\/e\/(env_\w{1,100})(?:[/?]|$)/.exec(url) ?? []
    if (id === undefined) return null
    try {
      return issuerAt(raw, await issuers.find(id))
    } catch (error) {
      log.warn('The issuer of an error page could not be read.', { request_id }, error)
      return null
    }
  }

  return async (error, request) => {
    const { id, url, headers, raw } = request
    const issuer = await findIssuer(request)
    const context = issuer
      ? pageContext({ issuer, headers, query: url.split('?')[1] ?? '' }, undefined, addressOf({ issuer, method: raw.method ?? 'GET', url }))
      : serviceContext(config.base_url, headers['accept-language'])
    const kind = issuer ? kindAtIssuer(error, url) : kindAtService(error)
    return html(
      messagePage(context, {
        kind,
        request_id: id,
        account_url: issuer && accountUrl({ issuer }),
        home_url: issuer ? null : `${config.base_url}/`,
        reason: { error: error.code, error_url: `${config.base_url}/docs/errors/${error.code}`, detail: error.message },
        status: error.status,
      }),
    )
  }
}

/** A person at an issuer is in the middle of a sign-in, so the page speaks of that. */
function kindAtIssuer(error: ApiError, url: string): MessageKind {
  if (error.status === 405) return isStep(url) ? 'form_only' : 'for_programs'
  return ofStatus(error) ?? 'unusable_request'
}

const kindAtService = (error: ApiError): MessageKind => ofStatus(error) ?? 'for_programs'

function ofStatus({ status }: ApiError): MessageKind | null {
  if (status === 404 || status === 421) return 'not_found'
  if (status === 503) return 'unavailable'
  return status >= 500 ? 'trouble' : null
}

const steps = new Set(
  Object.values(oidcRoutes).flatMap((route) => ('page' in route ? [route.path.replace(/^\/e\/\{environment_id\}/, '')] : [])),
)

/** Reports whether the address is one of the forms of a sign-in, such as `/e/{id}/sign-in` opened by its address. */
const isStep = (url: string) => steps.has(url.replace(/^\/e\/[^/?]*/, '').split('?', 1)[0] ?? '')
