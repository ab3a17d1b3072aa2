/** After the apply: what is left to do in the target, and the way back. */
import type { PlannedChange } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { useAnnounce } from '../../parts/announce.tsx'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useFirst } from '../../parts/table.tsx'
import { EnvironmentTag, Tag } from '../../parts/tag.tsx'
import { configurations } from '../../queries/configurations.ts'
import { environmentBase, useProject } from '../../scope.tsx'
import { isOn } from '../compare/compare.ts'
import { pages } from '../compare/fields.ts'
import { objectIn } from '../compare/values.ts'
import { useAbout } from './about.tsx'
import { changedIn } from './changed.ts'
import { DoneBy } from './done-by.tsx'
import { Revert, type RevertProps } from './revert.tsx'
import { StepButton } from './step-button.tsx'
import { keyOf, kindWords, whyNotRevert } from './words.ts'

const begin_switched_off: readonly PlannedChange['object'][] = ['application', 'provider', 'webhook']

export function Applied({ secretsOf }: Pick<RevertProps, 'secretsOf'>) {
  const { can } = useProject()
  const { promotion, target } = useAbout()
  const [is_reverting, setReverting] = useState(false)
  const { status, applied_by, applied_at, reverted_by, reverted_at, changes } = promotion
  const created = changes.filter(({ action, object }) => action === 'create' && begin_switched_off.includes(object))
  const { first, more } = useFirst(created, 'what is left to do')
  const is_reverted = status === 'reverted'
  return (
    <Card id="applied" title={is_reverted ? 'Reverted' : 'Applied'} beside={<EnvironmentTag type={target.type} />}>
      <div className="pad stack">
        <p>
          Applied <DoneBy who={applied_by} at={applied_at} />.
          {is_reverted ? (
            <>
              {' '}
              Reverted <DoneBy who={reverted_by} at={reverted_at} />.
            </>
          ) : null}
        </p>
        {!is_reverted && created.length > 0 ? (
          <div>
            <h3>Left to do in {target.name}</h3>
            <ul>
              {first.map((change) => (
                <Begun key={keyOf(change)} change={change} />
              ))}
            </ul>
            {more}
          </div>
        ) : null}
        {is_reverted ? null : (
          <StepButton why={whyNotRevert({ promotion, target, can })} onClick={() => setReverting(true)}>
            <Icon name="back" /> Revert…
          </StepButton>
        )}
      </div>
      {is_reverting ? <Revert close={() => setReverting(false)} secretsOf={secretsOf} /> : null}
    </Card>
  )
}

/** A created object, which begins switched off. */
function Begun({ change }: { change: PlannedChange }) {
  const here = useProject()
  const { client, project, tenant } = here
  const { target, names, documents } = useAbout()
  const announce = useAnnounce()
  const { object, slug, id } = change
  const now = documents.target && objectIn(documents.target, object, slug)
  const at = { project_id: project.id, environment_id: target.id }
  const switchOn = useAction(
    (): Promise<unknown> =>
      object === 'application'
        ? client.changeApplication({ ...at, application_id: id ?? '' }, { disabled: false })
        : client.changeWebhook({ ...at, webhook_id: id ?? '' }, { disabled: false }),
    {
      changes: [configurations.all(here), ...changedIn(project.id, target.id)],
      done: () => announce(`${names(object, slug ?? '')} is on.`),
    },
  )
  if (object === 'settings') return null
  const name = names(object, slug ?? '')
  const needs_secret = object === 'provider' && now?.client_secret === null && now.private_key === null
  const is_on = now !== undefined && isOn(now)
  const path = environmentBase(tenant.slug, project.slug, target) + pages[object] + (object === 'provider' ? '' : `/${id}`)
  return (
    <li className="list-row">
      <span>
        <Link to={path} className="strong">
          {name}
        </Link>{' '}
        <span className="muted">{kindWords(object)}</span>
        <Problem error={switchOn.error} />
      </span>
      {now === undefined ? (
        documents.target ? (
          <Tag>Deleted since</Tag>
        ) : null
      ) : is_on ? (
        <Tag tone="ok">On</Tag>
      ) : object === 'provider' ? (
        <Link className="btn s" to={path}>
          {needs_secret ? 'Add the secret, and switch it on' : 'Switch on in'} {needs_secret ? null : target.name}
          <span className="vh">: {name}</span>
        </Link>
      ) : (
        <ChangeButton className="btn s" disabled={switchOn.busy} onClick={() => switchOn.run()}>
          Switch on in {target.name}
          <span className="vh">: {name}</span>
        </ChangeButton>
      )}
    </li>
  )
}
