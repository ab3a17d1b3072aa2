/** `ostiary serve`, and `ostiary start`, which also creates a demo on the first start and prints where to sign in. */
import { type Config, widenThreadPool } from '@ostiary/server/base/config/config.ts'
import { createLog, type LogForm } from '@ostiary/server/base/log.ts'
import { outputTo } from '@ostiary/server/base/output.ts'
import { stackOf } from '@ostiary/server/base/stack.ts'
import { createPasswords, lanesOf, threadsFor } from '@ostiary/server/domain/users/password.ts'
import { type Service, startService } from '@ostiary/server/main.ts'
import { createDemo, findDemo } from '@ostiary/server/setup/demo.ts'
import { wrongArguments } from './arguments.ts'
import type { commands, Values } from './commands.ts'
import { onStopSignals } from './signals.ts'
import { welcome } from './welcome.ts'
import { codeOfRefusal, isFirst, isWorker, sayReady, sharedSetupToken, superviseWorkers } from './workers.ts'

export async function serve(config: Config, values: Values<typeof commands.serve>): Promise<number | null> {
  const workers = readWorkers(values.workers)
  if (workers > 1 && !isWorker()) return superviseWorkers(config, workers)
  widenThreadPool(threadsFor(lanesOf(workers)))
  const log_form = formFor(process.stdout)
  const service = await startService(config, {
    processes: workers,
    log_form,
    ...(isWorker() ? { setup_token: await sharedSetupToken() } : {}),
  })
  stopOnSignal(service)
  sayReady()
  const { deployment, setup_url } = service
  // Without this line nobody can set up the deployment in a browser, so it is written at every log level.
  if (isFirst() && setup_url !== null) {
    if (log_form === 'text') outputTo('stdout').write(`\n${no_tenant}\n\n  ${setup_url}\n\n`)
    else createLog('info', deployment.now, outputTo('stdout').write).info(no_tenant, { setup_url })
  }
  return null
}

const no_tenant = 'There is no tenant yet. Open the link to create the first one, or run "ostiary bootstrap".'

/** Programs that collect logs read JSON; a terminal has a person before it. */
const formFor = (stream: { isTTY?: boolean }): LogForm => (stream.isTTY ? 'text' : 'json')

export async function start(config: Config): Promise<null> {
  widenThreadPool(threadsFor(lanesOf(1)))
  const service = await startService(config, { write: outputTo('stderr').write, log_form: formFor(process.stderr) })
  stopOnSignal(service)
  const { deployment } = service
  const known = await findDemo(deployment)
  const created = known ? null : await createDemo(deployment, createPasswords())
  outputTo('stdout').write(welcome(config, known ?? created?.demo ?? null, created?.key ?? null))
  return null
}

function readWorkers(workers = '1'): number {
  const count = /^[0-9]{1,2}$/.test(workers) ? Number(workers) : 0
  if (count < 1 || count > 64) throw wrongArguments('serve', ['--workers takes a number from 1 to 64.'])
  return count
}

function stopOnSignal(service: Service): void {
  void service.unusable?.then(({ message }) => {
    outputTo('stderr').write(`${message}\n`)
    process.exit(codeOfRefusal())
  })
  onStopSignals({
    stop: () =>
      void service.stop().then(
        () => process.exit(0),
        (error) => {
          outputTo('stderr').write(`${error instanceof Error ? stackOf(error) : String(error)}\n`)
          process.exit(1)
        },
      ),
    stopAtOnce: () => process.exit(1),
  })
}
