/** Changes the documents of a plan. */
import type { Here } from '../../queries/query.ts'
import type { Configuration, Step } from './compare.ts'

/** Changes the document of a step, if it is still the version with this ETag. `id` is that of its object in this environment. */
export function changeDocument({ client, at }: Here, { kind, body }: Step, id: string, etag: string | null): Promise<unknown> {
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
