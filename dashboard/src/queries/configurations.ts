/** The configurations of the environments of a project, and the documents that a plan changes. */
import type { Client, List } from '@ostiary/sdk'
import type { Configuration, Step } from '../pages/compare/compare.ts'
import { type Here, key, one } from './query.ts'

async function all<T>(list: List<T>): Promise<T[]> {
  const rows: T[] = []
  for await (const row of list) rows.push(row)
  return rows
}

async function readConfiguration({ client, at }: Here, signal: AbortSignal): Promise<Configuration> {
  const page = { ...at, limit: 100 }
  const [settings, application, resource_server, provider, webhook] = await Promise.all([
    client.getSettings(at, { signal }),
    all(client.listApplications(page, { signal })),
    all(client.listResourceServers(page, { signal })),
    all(client.listProviders(page, { signal })),
    all(client.listWebhooks(page, { signal })),
  ])
  return { settings, application, resource_server, provider, webhook }
}

export interface Current {
  data: object
  etag: string | null
}

/** Reads the document of a step as it is now. `id` is that of its object in this environment. */
function readDocument({ client, at }: Here, { kind }: Step, id: string, signal: AbortSignal): Promise<Current> {
  const { responses } = client
  if (kind === 'application') return responses.getApplication({ ...at, application_id: id }, { signal })
  if (kind === 'resource_server') return responses.getResourceServer({ ...at, resource_server_id: id }, { signal })
  if (kind === 'provider') return responses.getProvider({ ...at, provider_id: id }, { signal })
  if (kind === 'webhook') return responses.getWebhook({ ...at, webhook_id: id }, { signal })
  return responses.getSettings(at, { signal })
}

export const configurations = {
  all: ({ project_id }: { project_id: string }) => key('compare', project_id),
  /** Of Test and Live. */
  pair: (client: Client, { project_id, test, live }: { project_id: string; test: string; live: string }) =>
    one(key('compare', project_id, test, live), (signal): Promise<[Configuration, Configuration]> => {
      const of = (environment_id: string) => readConfiguration({ client, at: { project_id, environment_id } }, signal)
      return Promise.all([of(test), of(live)])
    }),
  /** The documents of the steps of a plan, each with its version. `opened_at` tells one plan from another. */
  documents: (here: Here, steps: readonly (readonly [step: Step, id: string])[], opened_at: number) =>
    one(key('plan', here.at.environment_id, opened_at), async (signal) => {
      const read = steps.map(async ([step, id]) => [step, await readDocument(here, step, id, signal)] as const)
      return new Map<Step, Current>(await Promise.all(read))
    }),
}
