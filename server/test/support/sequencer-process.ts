/** A process for tests to kill: it numbers events and chains audit entries all the time, without the lease. */
import { chainEntries, findUnchained } from '../../src/audit/chaining.ts'
import { readConfig } from '../../src/config.ts'
import { findUnnumbered, numberEvents } from '../../src/events/numbering.ts'
import { openDeployment } from '../../src/main.ts'

const config = readConfig()
if (Array.isArray(config)) throw new Error(JSON.stringify(config))
const { db, secrets } = await openDeployment(config, { write: () => {} })
process.stdout.write('ready\n')
for (;;) {
  const [events, entries] = await Promise.all([findUnnumbered(db), findUnchained(db)])
  await Promise.all([
    ...[...Map.groupBy(events, ({ environment_id }) => environment_id).values()].map((group) => numberEvents(db, group, [])),
    ...[...Map.groupBy(entries, ({ tenant_id }) => tenant_id).values()].map((group) => chainEntries(db, secrets, group)),
  ])
  await new Promise((resolve) => setTimeout(resolve, 5))
}
