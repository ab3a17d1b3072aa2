/** What `ostiary start` tells at its end. Whoever reads it wants to sign in within a minute: that stands first. */
import { resolve } from 'node:path'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import type { Config } from '@ostiary/server/config.ts'
import { type Demo, demo_names } from '@ostiary/server/setup/demo.ts'

/** `key` is the platform key, known at the first start only. */
export function welcome(config: Config, demo: Demo | null, key: string | null): string {
  const { base_url } = config
  const runs = `\nOstiary runs at ${base_url}\n`
  if (!demo) return `${runs}\n  There was a tenant already, so no demo was made. The routes are in docs/routes.md.\n\n`
  if (!demo.issuer.startsWith(`${base_url}/`)) return runs + moved(base_url, new URL(demo.issuer).origin)
  return `${runs}
  Open             ${base_url}${serviceRoutes.demo.path}
  Sign in as       ${demo.email}
  Password         ${demo.password}

For your code: the Test environment of the project "${demo_names.project_name}"

  Issuer           ${demo.issuer}
  Discovery        curl ${demo.issuer}/.well-known/openid-configuration

For automation: a platform key, which may do everything for the tenant "Demo"

${platformKey(base_url, key)}

${whereKept(config)} Ctrl-C stops the service.

`
}

function platformKey(base_url: string, key: string | null): string {
  if (key === null) return '  Platform key     was told at the first start, and is kept as a digest only'
  return `  Platform key     ${key}
                   This is the only time it is told.
  Try it           curl -H 'X-API-Key: ${key}' ${base_url}/v1/api-keys/whoami`
}

function whereKept({ database_url, data_dir }: Config): string {
  if (database_url !== null) return 'Everything is kept in the PostgreSQL database.'
  return `Everything is kept in ${resolve(data_dir)}; without that folder, the next start begins anew.`
}

const moved = (base_url: string, origin: string) => `
  The demo of this deployment was made for ${origin}, and issuers never change, so nobody can sign in to it
  at ${base_url}. Start it at that address again, or set OSTIARY_DATA_DIR to another folder for a new demo.

`
