/** One webhook: its deliveries, with the attempts and the answer of each. */
import '../styles/deliveries.css'
import type { Delivery, Webhook as Record, WebhookWithSecret } from '@ostiary/sdk'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction } from '../parts/action.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Icon } from '../parts/icon.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { Loaded, Skeleton, useList, useRead } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { SecretOnce } from '../parts/secret-once.tsx'
import { Empty } from '../parts/table.tsx'
import { EnvironmentTag, Tag } from '../parts/tag.tsx'
import { ClockTime, shortId } from '../parts/time.tsx'
import { useEnvironment } from '../scope.tsx'
import { DeliveryDetail } from './webhook/delivery.tsx'
import { WebhookStatus } from './webhooks.tsx'

const filters = [
  ['', 'All'],
  ['waiting', 'Waiting'],
  ['given_up', 'Given up'],
  ['delivered', 'Delivered'],
] as const

export default function Webhook() {
  const { client, at, environment } = useEnvironment()
  const { webhook_id = '' } = useParams({ strict: false })
  const webhook = useRead(['webhook', environment.id, webhook_id], (signal) => client.getWebhook({ ...at, webhook_id }, { signal }))
  return (
    <Loaded of={webhook}>
      {(webhook) => (
        <Page
          title={webhook.slug}
          lead={
            <>
              <WebhookStatus of={webhook} /> <code className="any">{webhook.url}</code>
            </>
          }
          actions={<Actions webhook={webhook} />}
        >
          <Deliveries webhook={webhook} />
        </Page>
      )}
    </Loaded>
  )
}

function Actions({ webhook }: { webhook: Record }) {
  const { client, at, environment, base } = useEnvironment()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'rotate' | 'delete' | null>(null)
  const [rotated, setRotated] = useState<WebhookWithSecret | null>(null)
  const here = { ...at, webhook_id: webhook.id }
  const changes = [
    ['webhook', environment.id, webhook.id],
    ['webhooks', environment.id],
    ['deliveries', webhook.id],
  ]
  const test = useAction(() => client.testWebhook(here), { changes })
  const rotate = useAction(() => client.rotateWebhookSecret(here), {
    changes,
    done: (result) => {
      setOpen(null)
      setRotated(result)
    },
  })
  const enable = useAction(() => client.changeWebhook(here, { disabled: !webhook.disabled }), { changes })
  const remove = useAction(() => client.deleteWebhook(here), {
    changes: [['webhooks', environment.id]],
    done: () => void navigate({ to: `${base}/webhooks` }),
  })
  const error = test.error ?? enable.error
  return (
    <>
      {error ? <Problem error={error} /> : null}
      <ChangeButton onClick={() => test.run(undefined)} disabled={test.busy}>
        <Icon name="send" /> Send test event
      </ChangeButton>
      <ChangeButton onClick={() => enable.run(undefined)} disabled={enable.busy}>
        {webhook.disabled ? 'Switch on' : 'Switch off'}
      </ChangeButton>
      <ChangeButton onClick={() => setOpen('rotate')}>Rotate secret</ChangeButton>
      <ChangeButton className="btn bad" onClick={() => setOpen('delete')}>
        Delete
      </ChangeButton>
      {open === 'rotate' ? (
        <Confirm
          title={`Rotate the secret of ${webhook.slug}?`}
          lead={<EnvironmentTag type={environment.type} />}
          consequence="For 24 hours each call carries both signatures, so nothing fails while you replace the secret. After that only the new one signs."
          keep="Keep the secret"
          act="Rotate now"
          busy={rotate.busy}
          error={rotate.error}
          onConfirm={() => rotate.run(undefined)}
          onClose={() => setOpen(null)}
        />
      ) : null}
      {open === 'delete' ? (
        <Confirm
          title={`Delete ${webhook.slug}?`}
          lead={<EnvironmentTag type={environment.type} />}
          consequence="Waiting deliveries are not sent any more, and the history of its deliveries is gone."
          keep="Keep the webhook"
          act="Delete now"
          typed={webhook.slug}
          busy={remove.busy}
          error={remove.error}
          onConfirm={() => remove.run(undefined)}
          onClose={() => setOpen(null)}
        />
      ) : null}
      {rotated ? (
        <SecretOnce what="signing secret" name={webhook.slug} secret={rotated.secret ?? ''} onClose={() => setRotated(null)} />
      ) : null}
    </>
  )
}

function StatusTag({ of: delivery }: { of: Delivery }) {
  const last = delivery.attempts.at(-1)
  const answer = last ? (last.status ?? last.error ?? 'no answer') : 'new'
  if (delivery.status === 'delivered')
    return (
      <Tag tone="ok" icon="check">
        {answer}
      </Tag>
    )
  if (delivery.status === 'waiting')
    return (
      <Tag tone="warn" icon="clock">
        {answer}, waiting
      </Tag>
    )
  return (
    <Tag tone="bad" icon="cross">
      {answer}, given up
    </Tag>
  )
}

function Deliveries({ webhook }: { webhook: Record }) {
  const { client, at, can } = useEnvironment()
  const { search, show } = useQueryState()
  const status = filters.find(([value]) => value !== '' && value === search.status)?.[0] || undefined
  const list = useList(
    ['deliveries', webhook.id, status],
    (cursor) => client.listDeliveries({ ...at, webhook_id: webhook.id, status: status === undefined ? undefined : status, cursor }).page(),
    {
      refetchInterval: 5_000,
      enabled: can('developer'),
    },
  )
  if (!can('developer')) return <Empty>Deliveries need the role developer.</Empty>
  if (list.rows === undefined) return list.error ? <Problem error={list.error} retry={() => list.refetch()} /> : <Skeleton />
  const chosen = list.rows.find(({ id }) => id === search.message) ?? list.rows[0]
  return (
    <section className="card md">
      <div className="lst">
        <fieldset className="fil" aria-label="Show">
          {filters.map(([value, name]) => (
            <button
              key={value}
              type="button"
              aria-pressed={(search.status ?? '') === value}
              onClick={() => show({ status: value || undefined, message: undefined })}
            >
              {name}
            </button>
          ))}
        </fieldset>
        <ul>
          {list.rows.map((delivery) => (
            <li key={delivery.id}>
              <button type="button" aria-pressed={delivery === chosen} onClick={() => show({ message: delivery.id })}>
                <span className="mono cut">{delivery.event_type}</span>
                <StatusTag of={delivery} />
                <span className="id mono cut">{shortId(delivery.id)}</span>
                <span className="tm">
                  <ClockTime at={delivery.created_at} />
                </span>
              </button>
            </li>
          ))}
        </ul>
        {list.hasNextPage ? (
          <p className="load-more">
            <button type="button" className="btn s" onClick={() => list.fetchNextPage()}>
              Show more
            </button>
          </p>
        ) : null}
      </div>
      {chosen ? (
        <DeliveryDetail key={chosen.id} delivery={chosen} />
      ) : (
        <p className="pad muted">No delivery here. Send a test event to see one.</p>
      )}
    </section>
  )
}
