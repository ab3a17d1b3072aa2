/** Background work: writes buffered counts, removes expired rows, rotates keys, delivers events. A failed job runs again later. */
import { hour_ms } from '../base/durations.ts'
import { droppedLines } from '../base/output.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { createDroppedLines } from '../deployment/dropped-lines.ts'
import type { Otlp } from '../deployment/telemetry/otlp.ts'
import { readCertificates } from '../domain/expiry/certificates.ts'
import { mailWarnings } from '../domain/expiry/mails.ts'
import { type OfDeployment, warnOfEnds } from '../domain/expiry/warnings.ts'
import type { KeyStore } from '../domain/keys/store.ts'
import { createMailJobs } from '../domain/mail/deliver.ts'
import { startRunner } from '../domain/queue/runner.ts'
import { nameMissingScopes } from '../domain/resource-servers/store.ts'
import { createHolderWalk } from '../domain/roles/holders.ts'
import { createIndexWalk, turn_ms as index_turn_ms } from '../domain/users/index-walk.ts'
import { createWebhookJobs } from '../domain/webhooks/deliver.ts'
import { createWebhookFanOut } from '../domain/webhooks/fan-out.ts'
import type { WebhookHistories } from '../domain/webhooks/history.ts'
import { createBackchannelLogoutJobs } from '../oidc/backchannel-logout.ts'
import { startEndings } from '../oidc/end-in-slices.ts'
import type { Issuers } from '../oidc/issuer.ts'
import type { KeyPool } from '../oidc/key-pool.ts'
import { rotateAgedKeys } from '../oidc/signing-keys.ts'
import { eraseDue } from './erase-due.ts'
import { removeExpiredRows } from './expiring-rows.ts'
import { createGrantIndexes } from './grant-indexes.ts'
import { createSequencer, startSequencer } from './sequencer.ts'
import { createTelemetryJobs } from './telemetry.ts'
import { createUserJobs } from './user-jobs.ts'
import { visitGrants } from './visit-grants.ts'
import { createEndsWalk, turn_ms } from './walk-ends.ts'
import { createWriteProbe } from './write-probe.ts'

/** How often buffered uses of keys and counters are written. */
const write_interval_ms = 2_000
/** Refused calls are readable on every process within a second. */
const refused_calls_interval_ms = 500
/** How often the last write is looked at. Only where it failed, something is written. */
const look_interval_ms = 1_000
/** How often reads of the JWKS are written. */
const readers_interval_ms = 60_000
const sweep_interval_ms = 60_000
const rotation_interval_ms = hour_ms
/** How often it is looked for what ends soon, and whether the mail of the day is due. */
const warnings_interval_ms = 600_000
/** How often grants are visited whose tokens may be over. */
const visit_interval_ms = 10_000
/** How often the names of scopes are written that a large promotion leaves. */
const names_interval_ms = 10_000
/** How often the next index of grants is made, where some are left. */
const indexes_interval_ms = 10_000
const telemetry_interval_ms = 1_000
/** At the stop of the service, the collector gets this long for the last lines, spans and events. */
const telemetry_stop_limit_ms = 2_000
/** How often it is asked whether a job over users waits. */
const jobs_interval_ms = 1_000
/** At the stop of the service, deliveries in flight get this long. Unfinished jobs go back to the queue. */
const delivery_stop_limit_ms = 5_000

function dropped(): number {
  const { stdout, stderr } = droppedLines()
  return stdout + stderr
}

interface JobServices {
  keys: KeyStore
  key_pool: KeyPool
  issuers: Issuers
  webhook_histories: WebhookHistories
  /** `null` without a collector of telemetry. */
  otlp: Otlp | null
  root: OfDeployment
}

interface Jobs {
  /** Starts no more outgoing calls and waits for those in flight. Runs while the requests in flight finish. */
  stopDeliveries(): Promise<void>
  /** Stops the other jobs, after the last request, and writes what is buffered. */
  stop(): Promise<void>
}

export function startJobs(deployment: Deployment, { keys, key_pool, issuers, webhook_histories, otlp, root }: JobServices): Jobs {
  const { log } = deployment
  const every = createTimers(deployment)
  let stopping = false
  const numbering = createSequencer(deployment, [createWebhookFanOut(deployment)], (environment_id) => telemetry?.note(environment_id))
  const { holdsLease } = numbering
  const telemetry =
    otlp && deployment.telemetry
      ? createTelemetryJobs(deployment, { otlp, telemetry: deployment.telemetry, holdsLease, isStopping: () => stopping })
      : null
  const sequencer = startSequencer(deployment, numbering)
  const runner = startRunner(deployment, [
    createBackchannelLogoutJobs(deployment, issuers),
    ...createWebhookJobs(deployment, deployment.outbound),
    createMailJobs(deployment),
  ])
  const endings = startEndings(deployment)
  const stopped = new AbortController()
  const stops = [
    every(write_interval_ms, 'key uses', keys.writeUses),
    every(write_interval_ms, 'key usage', keys.writeUsage),
    every(write_interval_ms, 'counters', deployment.counters.write),
    every(refused_calls_interval_ms, 'refused calls', deployment.refused_calls.write),
    every(write_interval_ms, 'grant uses', deployment.grant_uses.write),
    every(write_interval_ms, 'client uses', deployment.client_uses.write),
    every(write_interval_ms, 'secret uses', deployment.secret_uses.write),
    every(readers_interval_ms, 'readers of the JWKS', deployment.jwks_readers.write),
    every(write_interval_ms, 'untrusted forwarder', deployment.forwarders.write),
    every(write_interval_ms, 'dropped lines', createDroppedLines(deployment, dropped).write),
    every(look_interval_ms, 'probe of writes', createWriteProbe(deployment).work),
    every(sweep_interval_ms, 'sweep', () => removeExpiredRows(deployment.db, deployment.now())),
    every(sweep_interval_ms, 'accounts to erase', () => eraseDue(deployment, () => stopping)),
    every(rotation_interval_ms, 'key rotation', () => rotateAgedKeys(deployment, key_pool)),
    every(warnings_interval_ms, 'warnings before an end', async () => {
      await readCertificates(deployment, () => stopping)
      await warnOfEnds(deployment, root, () => stopping)
      await mailWarnings(deployment, root.environment_id, () => stopping)
    }),
    every(visit_interval_ms, 'visits', () => visitGrants(deployment, () => stopping)),
    every(names_interval_ms, 'names of scopes', async () => {
      let is_more = true
      while (is_more && !stopping) is_more = await nameMissingScopes(deployment.db)
    }),
    every(sweep_interval_ms, 'holders of roles', createHolderWalk(deployment, () => stopping).work),
    every(jobs_interval_ms, 'jobs over users', createUserJobs({ ...deployment, issuers }, () => stopping).work),
    every(index_turn_ms, 'index of users', createIndexWalk(deployment).work),
    every(turn_ms, 'early ends', createEndsWalk(deployment).work),
    every(indexes_interval_ms, 'indexes of grants', createGrantIndexes(deployment, stopped.signal).work),
    ...Object.entries(telemetry?.works ?? {}).map(([signal, send]) => every(telemetry_interval_ms, `telemetry of ${signal}`, send)),
  ]
  return {
    stopDeliveries: () => runner.stop(delivery_stop_limit_ms),

    async stop() {
      stopping = true
      stopped.abort()
      const telemetry_ends = setTimeout(() => telemetry?.giveUp(), telemetry_stop_limit_ms)
      await Promise.all([...stops.map((stop) => stop()), endings.stop(), webhook_histories.stop()])
      await sequencer.stop()
      await Promise.all(Object.values(telemetry?.works ?? {}).map((send) => send()))
      clearTimeout(telemetry_ends)
      await deployment.counters.write().catch((error) => log.error('The last counts could not be written.', {}, error))
      await deployment.refused_calls.write().catch((error) => log.error('The last refused calls could not be written.', {}, error))
      await deployment.grant_uses.write().catch((error) => log.error('The last uses of grants could not be written.', {}, error))
      await deployment.client_uses.write().catch((error) => log.error('The last uses of clients could not be written.', {}, error))
      await deployment.secret_uses.write().catch((error) => log.error('The last uses of client secrets could not be written.', {}, error))
      await deployment.jwks_readers.write().catch((error) => log.error('The last readers of the JWKS could not be written.', {}, error))
      await keys.writeUses().catch((error) => log.error('The last uses of keys could not be written.', {}, error))
      await keys.writeUsage().catch((error) => log.error('The last counts of calls with keys could not be written.', {}, error))
    },
  }
}

/** Returns a function that does a work at an interval, one run at a time, and returns what ends it. */
function createTimers({ log }: Pick<Deployment, 'log'>) {
  return (interval_ms: number, name: string, work: () => Promise<void>) => {
    let running: Promise<void> | null = null
    const run = () => {
      running ??= work()
        .catch((error) => log.error('A job failed and will be tried again.', { job: name }, error))
        .finally(() => {
          running = null
        })
    }
    const timer = setInterval(run, interval_ms)
    timer.unref()
    return async () => {
      clearInterval(timer)
      await running
    }
  }
}
