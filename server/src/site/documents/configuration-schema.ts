/** Serves the JSON Schema of configuration documents, which is the same for everyone. */
import { configurationSchema } from '@ostiary/contract/configuration-schema.ts'
import { type Text, withForms } from './text.ts'

const headers = { 'content-type': 'application/schema+json; charset=utf-8' }

export const configurationSchemaText = (base_url: string): Promise<Text> =>
  withForms({ body: JSON.stringify(configurationSchema(base_url)), headers })
