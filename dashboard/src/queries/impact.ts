/** Who would be hurt by the end of something, as the alerts in Live read it. */
import type { SwitchedMethod } from '../parts/words.ts'
import { type Here, key, one } from './query.ts'

export const impact = {
  ofApplication: ({ client, at }: Here, application_id: string) =>
    one(key('impact', at.environment_id, application_id), (options) => client.getApplicationImpact({ ...at, application_id }, options)),
  ofServer: ({ client, at }: Here, resource_server_id: string, scope?: string) =>
    one(key('impact', at.environment_id, resource_server_id, scope), (options) =>
      client.getResourceServerImpact({ ...at, resource_server_id, ...(scope === undefined ? {} : { scope }) }, options),
    ),
  ofProvider: ({ client, at }: Here, provider_id: string) =>
    one(key('impact', at.environment_id, provider_id), (options) => client.getProviderImpact({ ...at, provider_id }, options)),
  ofMethod: ({ client, at }: Here, method: SwitchedMethod) =>
    one(key('impact', at.environment_id, method), (options) => client.getMethodImpact({ ...at, method }, options)),
  ofKey: ({ client, at }: Here, key_id: string) =>
    one(key('impact', at.environment_id, key_id), (options) => client.getAuthKeyImpact({ ...at, key_id }, options)),
}
