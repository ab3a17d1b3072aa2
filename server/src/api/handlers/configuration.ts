import { documentSteps } from '../../domain/configuration/document.ts'
import { readConfigurations } from '../../domain/configuration/store.ts'
import { notFound } from '../../http/problem.ts'
import { asText } from '../answer.ts'
import { environmentOf } from '../environment.ts'
import type { Handler } from '../handler.ts'

export const getConfiguration: Handler<'getConfiguration'> = async (services, call) => {
  const { tenant_id, project_id, id: environment_id } = await environmentOf(services, call)
  const [read] = await readConfigurations(services, [{ tenant_id, project_id, environment_id }])
  if (!read) throw notFound()
  const text = await services.slices.run(documentSteps(read.configuration))
  return asText(text, { version: read.configuration.environment.config_version })
}
