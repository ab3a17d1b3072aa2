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

/** The members of a tenant. */
export const membersUrl = (base_url: string, tenant_slug: string): string => `${base_url}/dashboard/t/${tenant_slug}/members`

const pathOf = (client_id: string) => `/dashboard/go/${encodeURIComponent(client_id)}`
