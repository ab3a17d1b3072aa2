/** The text that `ostiary start` prints when it serves. It begins with the way to sign in. */
import { resolve } from 'node:path'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import type { Config } from '@ostiary/server/base/config/config.ts'
import { type Demo, demo_names, demo_path } from '@ostiary/server/setup/demo.ts'

/** `key` is the platform key, which only the first start knows. */
export function welcome(config: Config, demo: Demo | null, key: string | null): string {
  const { base_url } = config
  const runs = `Ostiary runs at ${base_url}\n`
  if (!demo) return `${runs}\n  There was a tenant already, so no demo was created. The routes are in docs/routes.md.\n\n`
  if (!demo.issuer.startsWith(`${base_url}/`)) return runs + moved(base_url, new URL(demo.issuer).origin)
  return `${runs}
  Open             ${base_url}${serviceRoutes.dashboard.path}${demo_path}
  Sign in as       ${demo.email}
  Password         ${demo.password}
  See the tokens   ${base_url}${serviceRoutes.demo.path}
${viewer(demo)}
For your code: the Test environment of the project "${demo_names.project_name}"

  Issuer           ${demo.issuer}
  Discovery        curl ${demo.issuer}/.well-known/openid-configuration
  Client id        ${demo.client_id} (the application "${demo_names.application_name}")

For automation: a platform key with every scope of the tenant "Demo"

${platformKey(base_url, key)}

${whereStored(config)} Ctrl-C stops the service.

`
}

const viewer = ({ viewer_email }: Demo) =>
  viewer_email === undefined ? '' : `  Try roles        as ${viewer_email} with the same password, who may delete nothing\n`

function platformKey(base_url: string, key: string | null): string {
  if (key === null) return '  Platform key     was shown at the first start; only its digest is stored'
  return `  Platform key     ${key}
                   It is not shown again.
  Try it           curl -H 'X-API-Key: ${key}' ${base_url}/v1/api-keys/whoami`
}

function whereStored({ database_url, data_dir }: Config): string {
  if (database_url !== null) return 'All data is in the PostgreSQL database.'
  return `All data is in ${resolve(data_dir)}. Without that folder, the next start begins with an empty database.`
}

const moved = (base_url: string, origin: string) => `
  The demo of this deployment was created for ${origin}, and issuers never change, so it does not work
  at ${base_url}. Start the service at the first address again, or set OSTIARY_DATA_DIR to another folder for a new demo.

`
