/** A process for tests to kill: it numbers events and chains audit entries all the time, without the lease. */
import { readConfig } from '../../src/base/config/config.ts'
import { chainEntries, findUnchained } from '../../src/domain/audit/chaining.ts'
import { findUnnumbered, numberEvents } from '../../src/domain/events/numbering.ts'
import { findWaitingOwners, outboxes } from '../../src/domain/events/outbox.ts'
import { openDeployment } from '../../src/main.ts'

const config = readConfig()
if (Array.isArray(config)) throw new Error(JSON.stringify(config))
const { db, secrets } = await openDeployment(config, { write: () => {} })
process.stdout.write('ready\n')
for (;;) {
  const [environments, tenants] = await Promise.all([findWaitingOwners(db, outboxes.events), findWaitingOwners(db, outboxes.audit_log)])
  await Promise.all([
    ...environments.map(async (id) => numberEvents(db, await findUnnumbered(db, id), [])),
    ...tenants.map(async (id) => chainEntries(db, secrets, await findUnchained(db, id))),
  ])
  await new Promise((resolve) => setTimeout(resolve, 5))
}
