// pure
/** Links into the dashboard from other pages. The dashboard finds the object and decides who may open it. */
import { longest_return_path } from './return-path.ts'

/** The page of the application. */
export const applicationUrl = (base_url: string, client_id: string): string => base_url + pathOf(client_id)

/** Try sign-in of the application. */
export const tryUrl = (base_url: string, client_id: string): string => `${base_url}${pathOf(client_id)}?tab=try`

/** The addresses of the application, with one to register. The link leaves out one that is too long to come back to after a sign-in. */
export function registerUrl(base_url: string, client_id: string, redirect_uri: string): string {
  const tab = `${pathOf(client_id)}?tab=addresses`
  const path = `${tab}&${new URLSearchParams({ redirect_uri })}`
  return base_url + (path.length <= longest_return_path ? path : tab)
}

/** The captured mail of a Test environment. */
export const inboxUrl = (base_url: string, environment_id: string): string => `${base_url}${pathOf(environment_id)}?page=inbox`

/** The start of a tenant: its projects. */
export const tenantUrl = (base_url: string, tenant_slug: string): string => `${base_url}/dashboard/t/${tenant_slug}`

/** The members of a tenant. */
export const membersUrl = (base_url: string, tenant_slug: string): string => `${tenantUrl(base_url, tenant_slug)}/members`

/** The record of a refused call, with its reason. */
export const callUrl = (base_url: string, request_id: string): string => base_url + pathOf(request_id)

const pathOf = (id: string) => `/dashboard/go/${encodeURIComponent(id)}`
