/** Reads the configurations of two environments of the project that the page is about. */

import type { Environment } from '@ostiary/sdk'
import { useRead } from '../../parts/reading.tsx'
import { configurations } from '../../queries/configurations.ts'
import { useEnvironment } from '../../scope.tsx'

/** @param live `undefined` in a project without one: then nothing is read */
export function useConfigurations(test: Environment, live: Environment | undefined) {
  const { client, project } = useEnvironment()
  return useRead(configurations.pair(client, { project_id: project.id, test: test.id, live: live?.id ?? '' }), {
    enabled: live !== undefined,
  })
}
