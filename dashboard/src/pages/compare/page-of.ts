import type { ToOptions } from '@tanstack/react-router'

/** The page of the dashboard for the address of an API resource; `null` for the environment itself, where nothing can be changed. */
export function pageOf(link: string, base: string, tenant_slug: string): ToOptions | null {
  const { pathname, searchParams } = new URL(link)
  const [, in_tenant] = /^\/v1\/tenants\/[^/]+(\/.*)$/.exec(pathname) ?? []
  if (in_tenant) return to(`/t/${tenant_slug}${in_tenant}`)
  const [, in_environment = ''] = /\/environments\/[^/]+(\/.*)?$/.exec(pathname) ?? []
  if (in_environment === '') return null
  const [, application] = /^(\/applications\/[^/]+)\/secrets\/[^/]+$/.exec(in_environment) ?? []
  if (application) return to(base + application, { tab: 'credentials' })
  // A provider and a key have no page of their own.
  const page = in_environment.replace(/^\/auth-keys(\/.*)?$/, '/api-keys').replace(/^\/providers\/.*$/, '/providers')
  return to(base + page, Object.fromEntries(searchParams))
}

const to = (path: string, search: Record<string, string> = {}) => ({ to: path, search }) as ToOptions // as: the pages have the paths of the resources
