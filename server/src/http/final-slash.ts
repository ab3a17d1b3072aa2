/**
 * The address of a page with a final slash leads to the page. Only pages of the site: an address of the API or of an issuer is exact, and
 * the dashboard answers every path below its own.
 */
import type { Route } from '@ostiary/contract/route.ts'
import { serviceRoutes } from '@ostiary/contract/routes.ts'

/** Returns a function that finds where a request leads: the path without the slash, with its query; `null` for every other address. */
export function createFinalSlash(): (request: { method: string; url: string }) => string | null {
  const pages = Object.values<Route>(serviceRoutes).filter(
    ({ method, path, page }) => method === 'GET' && page === true && path !== '/' && !path.startsWith(serviceRoutes.dashboard.path),
  )
  const patterns = pages.map(({ path }) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`))
  return ({ method, url }) => {
    if (method !== 'GET' && method !== 'HEAD') return null
    const end = url.indexOf('?')
    const path = end === -1 ? url : url.slice(0, end)
    if (!path.endsWith('/')) return null
    const without = path.slice(0, -1)
    return patterns.some((pattern) => pattern.test(without)) ? without + url.slice(path.length) : null
  }
}
