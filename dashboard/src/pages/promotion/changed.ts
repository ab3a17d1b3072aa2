/** Lists the keys of the reads of an environment that a step of a promotion changes. */
import { applications } from '../../queries/applications.ts'
import { readiness } from '../../queries/environment.ts'
import { providers } from '../../queries/providers.ts'
import { resourceServers } from '../../queries/resource-servers.ts'
import { settings } from '../../queries/settings.ts'
import { webhooks } from '../../queries/webhooks.ts'

export function changedIn(project_id: string, environment_id: string) {
  const here = { at: { project_id, environment_id } }
  return [applications, readiness, providers, resourceServers, settings, webhooks].map(({ all }) => all(here))
}
