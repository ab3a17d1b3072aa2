/** All tests of this folder, as the bundle that other runtimes run. */
import type { Case } from './case.ts'
import { clientCases, type Service } from './client-cases.ts'
import { verifyCases } from './verify-cases.ts'
import { webhookCases } from './webhook-cases.ts'

export interface Result {
  title: string
  /** `null` if the test has passed. */
  problem: string | null
}

export async function runAll(service: Service, prefix: string): Promise<Result[]> {
  const groups: [string, Case[]][] = [
    ['verify', await verifyCases()],
    ['webhooks', webhookCases()],
    ['client', clientCases(service, prefix)],
  ]
  const results: Result[] = []
  for (const [group, cases] of groups)
    for (const { title, run } of cases) {
      const problem = await run().then(
        () => null,
        (error: unknown) => String(error),
      )
      results.push({ title: `${group}: ${title}`, problem })
    }
  return results
}
