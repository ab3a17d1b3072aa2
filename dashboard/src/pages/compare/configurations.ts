/** Reads the configurations of two environments of the project that the page is about. */
import type { Environment } from '@ostiary/sdk'
import { useRead } from '../../parts/reading.tsx'
import { useEnvironment } from '../../scope.tsx'
import type { Configuration } from './compare.ts'
import { readConfiguration } from './documents.ts'

/** @param live `undefined` in a project without one: then nothing is read */
export function useConfigurations(test: Environment, live: Environment | undefined) {
  const { client, project } = useEnvironment()
  return useRead(
    ['compare', project.id, test.id, live?.id],
    (signal): Promise<[Configuration, Configuration]> => {
      const of = (environment_id: string) => readConfiguration(client, { project_id: project.id, environment_id }, signal)
      return Promise.all([of(test.id), of(live?.id ?? '')])
    },
    { enabled: live !== undefined },
  )
}
