/** The webhooks of an environment. */

import type { Webhook, WebhookWithSecret } from '@ostiary/sdk'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction } from '../parts/action.ts'
import { CodeTabs } from '../parts/code.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { ObjectFields, useObjectFields } from '../parts/object-fields.tsx'
import { useList, useRead } from '../parts/reading.tsx'
import { SecretOnce } from '../parts/secret-once.tsx'
import { ByApi, pathOf } from '../parts/snippets.tsx'
import { StatisticsCharts, webhookAttempts } from '../parts/statistics.tsx'
import { type Column, timeColumn } from '../parts/table.tsx'
import { Tag, ThisEnvironment } from '../parts/tag.tsx'
import { Time } from '../parts/time.tsx'
import { deliveries, webhooks } from '../queries/webhooks.ts'
import { toWebhook, useEnvironment } from '../scope.tsx'
import { answerOf } from './webhook/attempts.tsx'
import { verifySnippets } from './webhook/verify-code.ts'

export function WebhookStatus({ of: webhook }: { of: Webhook }) {
  if (webhook.disabled) return <Tag tone="bad">Switched off</Tag>
  if (webhook.failing_since) return <Tag tone="warn">Failing</Tag>
  return webhook.last_success_at ? <Tag tone="ok">Answers</Tag> : <Tag>Not used yet</Tag>
}

export default function Webhooks() {
  const here = useEnvironment()
  const { at, can } = here
  const list = useList(webhooks.list(here))
  const columns: Column<Webhook>[] = [
    {
      head: 'Webhook',
      cell: ({ slug, url }, open) => (
        <>
          <b>{open(slug)}</b>
          <code className="any">{url}</code>
        </>
      ),
    },
    {
      head: 'Status',
      cell: (webhook) => (
        <>
          <WebhookStatus of={webhook} />
          {webhook.failing_since && can('developer') ? <LastAnswer webhook_id={webhook.id} /> : null}
        </>
      ),
    },
    { head: 'Kinds', cell: ({ events }) => (events.length === 0 ? 'All' : events.length) },
    timeColumn('Last delivery', ({ last_success_at }) => last_success_at),
  ]
  return (
    <ListPage
      title="Webhooks"
      lead="A webhook gets a signed call for each event of this environment, and again until it answers."
      create={{ words: 'Add webhook', form: (close) => <CreateWebhook close={close} /> }}
      list={list}
      columns={columns}
      link={({ id }) => toWebhook(id)}
      empty="No webhook yet. Add the address of your server that receives new users and sign-ins as events."
      snippet={
        <ByApi
          operation="createWebhook"
          path={`${pathOf(at)}/webhooks`}
          params={at}
          body={{ url: 'https://app.example.com/webhooks/ostiary' }}
        />
      }
    >
      {list.rows?.length ? <StatisticsCharts title="Deliveries" kinds={[webhookAttempts]} /> : null}
    </ListPage>
  )
}

/** How the last attempt ended, and when. Only a webhook that fails is asked for it. */
function LastAnswer({ webhook_id }: { webhook_id: string }) {
  const latest = useRead(deliveries.lastAnswered(useEnvironment(), webhook_id)).data
  const last = latest?.attempts.at(-1)
  if (!latest || !last) return null
  return (
    <span className="sub">
      Last attempt: {answerOf(latest)}, <Time at={last.at} />
    </span>
  )
}

const on_this_machine = (
  <p className="small muted">
    For a receiver on this machine no webhook is needed: <code>ostiary webhooks listen --forward http://localhost:8080/webhooks</code>{' '}
    brings each event there, signed. The service itself calls private addresses only if its operator allows them in{' '}
    <code>OSTIARY_WEBHOOK_ALLOWED_NETWORKS</code>.
  </p>
)

function CreateWebhook({ close }: { close: () => void }) {
  const { client, at, environment, project } = useEnvironment()
  const navigate = useNavigate()
  const fields = useObjectFields('webhook', {}, ['url', 'description'])
  const [created, setCreated] = useState<WebhookWithSecret | null>(null)
  const action = useAction(() => client.createWebhook(at, fields.values), {
    changes: [webhooks.all({ at })],
    secret: true,
    done: setCreated,
  })
  if (created) {
    const open = (tab?: string) => void navigate(toWebhook(created.id, { tab }))
    return (
      <SecretOnce
        what="signing secret"
        name={created.slug}
        secret={created.secret}
        lost="The receiver cannot verify a call. Rotate the secret to get a new one."
        rotate={() => open('settings')}
        tags={<ThisEnvironment />}
        onClose={() => open()}
      >
        <CodeTabs label="Verify it" snippets={verifySnippets} />
      </SecretOnce>
    )
  }
  return (
    <FormDialog
      title="Add a webhook"
      lead={
        <>
          For <ThisEnvironment /> of {project.name}. It gets all kinds of events; choose fewer afterwards.
        </>
      }
      submit="Add webhook"
      action={action}
      onSubmit={() => action.run()}
      onClose={close}
    >
      <ObjectFields
        of={fields}
        error={action.error}
        but={{
          url: {
            type: 'url',
            placeholder: 'https://app.example.com/webhooks/ostiary',
            below: environment.type === 'test' ? on_this_machine : null,
          },
        }}
      />
    </FormDialog>
  )
}
