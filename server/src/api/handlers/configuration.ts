import { documentText } from '../../configuration/document.ts'
import { readConfiguration } from '../../configuration/store.ts'
import { notFound } from '../../http/problem.ts'
import { asText } from '../answer.ts'
import { environmentOf } from '../environment.ts'
import type { Handler } from '../handler.ts'

export const getConfiguration: Handler<'getConfiguration'> = async (services, call) => {
  const { tenant_id, project_id, id: environment_id } = await environmentOf(services, call)
  const configuration = await readConfiguration(services.db, { tenant_id, project_id, environment_id })
  if (!configuration) throw notFound()
  return asText(documentText(configuration), configuration.environment.config_version)
}
