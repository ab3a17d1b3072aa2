/** The plan of chosen differences: old, new, and who is affected. It sends one change for each document, for the version it shows. */

import { type Environment, OstiaryError } from '@ostiary/sdk'
import { useRef, useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { useAnnounce } from '../../parts/announce.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { EnvironmentTag, Tag } from '../../parts/tag.tsx'
import { type Current, configurations } from '../../queries/configurations.ts'
import { readiness } from '../../queries/environment.ts'
import { readAgain } from '../../queries/query.ts'
import { settings } from '../../queries/settings.ts'
import { useEnvironment } from '../../scope.tsx'
import { type Change, type Configuration, changedMeanwhile, planOf, type Step, show, valueAt } from './compare.ts'
import { changeDocument, idIn } from './documents.ts'
import { objectFields } from './fields.ts'

interface PlanProps {
  chosen: readonly Change[]
  live: { environment: Environment; configuration: Configuration }
  close: () => void
}

const stepName = ({ kind, slug }: Step) => (kind === 'settings' ? 'Settings' : `${objectFields[kind].title}: ${slug}`)

/** What is to change is fixed when the plan opens. What Live has is read again. */
export function Plan({ chosen, live: { environment, configuration }, close }: PlanProps) {
  const { client, project } = useEnvironment()
  const at = { project_id: project.id, environment_id: environment.id }
  const here = { client, at }
  const announce = useAnnounce()
  const [steps] = useState(() => planOf(chosen))
  const [opened_at] = useState(() => performance.now())
  const [saved, setSaved] = useState<ReadonlySet<Step>>(new Set())
  /** The same, for a call that goes on after a sign-in in between. */
  const done = useRef(new Set<Step>())
  const documentsOf = steps.map((step) => [step, idIn(configuration, step)] as const)
  const current = useRead(configurations.documents(here, documentsOf, opened_at))
  const changes = [configurations.all(at), settings.all(here), readiness.all(here)]
  const apply = useAction(
    async (documents: ReadonlyMap<Step, Current>) => {
      for (const step of steps) {
        if (done.current.has(step)) continue
        await changeDocument(here, step, idIn(configuration, step), documents.get(step)?.etag ?? null)
        done.current.add(step)
        setSaved(new Set(done.current))
      }
    },
    {
      changes,
      done: () => {
        announce('Live has the chosen values.')
        close()
      },
    },
  )
  /** Some documents can be saved although another one was refused, so all is read again in any case. */
  const leave = () => {
    readAgain(changes)
    close()
  }
  const is_stale = apply.error instanceof OstiaryError && apply.error.code === 'stale_version'
  const reload = () => {
    apply.reset()
    void current.refetch()
  }
  return (
    <Dialog
      opened
      alert
      busy={apply.busy}
      onClose={leave}
      width={820}
      title="Review changes to Live"
      lead={
        <>
          <EnvironmentTag type="live" /> {project.name}, {environment.name}. They take effect at once.
        </>
      }
      footer={
        <>
          <button type="button" className="btn" data-autofocus disabled={apply.busy} onClick={leave}>
            {saved.size > 0 ? 'Close' : 'Change nothing'}
          </button>
          {is_stale ? (
            <button type="button" className="btn pri" onClick={reload}>
              Show the new version
            </button>
          ) : (
            <button
              type="button"
              className="btn pri"
              disabled={apply.busy || current.data === undefined}
              onClick={() => current.data && apply.run(current.data)}
            >
              Change Live
            </button>
          )}
        </>
      }
    >
      <Loaded of={current}>
        {(documents) => (
          <div className="stack">
            {steps.map((step) => (
              <StepTable key={stepName(step)} step={step} current={documents.get(step)} is_saved={saved.has(step)} />
            ))}
          </div>
        )}
      </Loaded>
      {steps.length > 1 ? <p className="muted small">Each of these is saved by itself, in this order.</p> : null}
      {apply.error ? <Problem error={apply.error} focus /> : null}
    </Dialog>
  )
}

function StepTable({ step, current, is_saved }: { step: Step; current: Current | undefined; is_saved: boolean }) {
  const meanwhile = new Set(is_saved ? [] : changedMeanwhile(step, current?.data))
  return (
    <section className="card plan">
      <header>
        <h3>{stepName(step)}</h3>
        {is_saved ? (
          <div className="r">
            <Tag tone="ok" icon="check">
              Saved
            </Tag>
          </div>
        ) : null}
      </header>
      <table className="rows" aria-label={stepName(step)}>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Live now</th>
            <th scope="col">Then</th>
            <th scope="col">Who is affected</th>
          </tr>
        </thead>
        <tbody>
          {step.changes.map((change) => (
            <tr key={change.path}>
              <td className="kn">{change.label}</td>
              <td className="any muted" data-l="Live now">
                <span>
                  {show(change.look, is_saved ? change.old : valueAt(current?.data, change.path))}
                  {meanwhile.has(change) ? (
                    <small className="tone-bad">
                      <Icon name="warn" size={13} /> Changed meanwhile. It was {show(change.look, change.old)}.
                    </small>
                  ) : null}
                </span>
              </td>
              <td className="any strong" data-l="Then">
                {show(change.look, change.next)}
              </td>
              <td className="muted small" data-l="Who is affected">
                {change.affects}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
