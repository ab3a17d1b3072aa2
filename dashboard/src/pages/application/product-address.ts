/** The address of a product that was set up by a template. Pure functions. */
import type { Application, ApplicationTemplate } from '@ostiary/sdk'

const place = '{url}'

/** Returns a registered redirect URI without the path of the template; else the origin of the first one. The service does not store it. */
export function productAddress(
  { redirect_uris: paths }: Pick<ApplicationTemplate, 'redirect_uris'>,
  registered: Application['redirect_uris'],
) {
  for (const uri of registered)
    for (const pattern of paths) {
      const path = pattern.slice(place.length)
      if (uri.endsWith(path)) return uri.slice(0, uri.length - path.length)
    }
  const [first = ''] = registered
  return /^https?:/.test(first) ? new URL(first).origin : first
}
