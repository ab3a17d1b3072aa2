/** The class of every field of the configuration of an environment, for promotion and for the dashboard. */
import { applicationFields } from './application.ts'
import type { NestedFieldClasses } from './field-class.ts'
import { providerFields } from './provider.ts'
import { resourceServerFields } from './resource-server.ts'
import { settingsFields } from './settings.ts'
import { webhookFields } from './webhook.ts'

export const fieldClasses = {
  settings: settingsFields,
  application: applicationFields,
  resource_server: resourceServerFields,
  provider: providerFields,
  webhook: webhookFields,
} as const satisfies Record<string, NestedFieldClasses>
