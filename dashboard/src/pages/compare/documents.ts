/** Reads the configuration of an environment, and each document that a plan changes. */
import type { Client, List } from '@ostiary/sdk'
import type { Configuration, Step } from './compare.ts'

export interface Place {
  project_id: string
  environment_id: string
}

async function all<T>(list: List<T>): Promise<T[]> {
  const rows: T[] = []
  for await (const row of list) rows.push(row)
  return rows
}

export async function readConfiguration(client: Client, at: Place, signal: AbortSignal): Promise<Configuration> {
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

/** Reads the document of a step as it is now. */
export function readDocument(client: Client, at: Place, { kind }: Step, id: string, signal: AbortSignal): Promise<Current> {
  const { responses } = client
  if (kind === 'application') return responses.getApplication({ ...at, application_id: id }, { signal })
  if (kind === 'resource_server') return responses.getResourceServer({ ...at, resource_server_id: id }, { signal })
  if (kind === 'provider') return responses.getProvider({ ...at, provider_id: id }, { signal })
  if (kind === 'webhook') return responses.getWebhook({ ...at, webhook_id: id }, { signal })
  return responses.getSettings(at, { signal })
}

/** Changes the document of a step, if it is still the version with this ETag. */
export function changeDocument(client: Client, at: Place, { kind, body }: Step, id: string, etag: string | null): Promise<unknown> {
  const options = { if_match: etag ?? undefined }
  if (kind === 'application') return client.changeApplication({ ...at, application_id: id }, body, options)
  if (kind === 'resource_server') return client.changeResourceServer({ ...at, resource_server_id: id }, body, options)
  if (kind === 'provider') return client.changeProvider({ ...at, provider_id: id }, body, options)
  if (kind === 'webhook') return client.changeWebhook({ ...at, webhook_id: id }, body, options)
  return client.changeSettings(at, body, options)
}

/** The id of a step's object in Live; empty for the settings, which have none. */
export const idIn = (live: Configuration, { kind, slug }: Step): string =>
  kind === 'settings' ? '' : (live[kind].find((object) => object.slug === slug)?.id ?? '')
