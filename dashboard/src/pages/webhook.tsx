/** One webhook: its deliveries, the kinds it gets, code that verifies its signatures, and its settings. */
import '../styles/deliveries.css'
import type { Webhook as Record } from '@ostiary/sdk'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAction } from '../parts/action.ts'
import { Icon } from '../parts/icon.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { Loaded, useRead } from '../parts/reading.tsx'
import { Editing, useSave, type Version } from '../parts/save.tsx'
import { useQueryState } from '../parts/search.ts'
import { PageTabs } from '../parts/tabs.tsx'
import { deliveries, webhooks } from '../queries/webhooks.ts'
import { useEnvironment } from '../scope.tsx'
import { Deliveries } from './webhook/deliveries.tsx'
import { Kinds } from './webhook/kinds.tsx'
import { savingWebhook } from './webhook/saving.ts'
import { Delete, Secret, WebhookSettings } from './webhook/settings.tsx'
import { TestAnswer } from './webhook/test-answer.tsx'
import { Verify } from './webhook/verify.tsx'
import { WebhookStatus } from './webhooks.tsx'

const tabs = [
  ['deliveries', 'Deliveries'],
  ['kinds', 'Event kinds'],
  ['verify', 'Verify signatures'],
  ['settings', 'Settings'],
] as const

export default function Webhook() {
  const { webhook_id = '' } = useParams({ strict: false })
  const { search } = useQueryState()
  const tab = search.tab ?? 'deliveries'
  const webhook = useRead(webhooks.one(useEnvironment(), webhook_id))
  return (
    <Loaded of={webhook}>
      {(latest) => (
        <Head key={webhook_id} latest={latest}>
          <PageTabs label="Webhook" tabs={tabs} current={tab} />
          {tab === 'deliveries' ? <Deliveries webhook={latest.data} /> : null}
          {tab === 'verify' ? <Verify webhook={latest.data} /> : null}
          {tab === 'kinds' ? <Editing latest={latest}>{(edited) => <Kinds {...edited} />}</Editing> : null}
          {tab === 'settings' ? (
            <div className="stack">
              <Editing latest={latest}>{(edited) => <WebhookSettings {...edited} />}</Editing>
              <Secret webhook={latest.data} />
              <Delete webhook={latest.data} />
            </div>
          ) : null}
        </Head>
      )}
    </Loaded>
  )
}

/** The head of the page. The answer to a test event appears below it. */
function Head({ latest, children }: { latest: Version<Record>; children: ReactNode }) {
  const { data: webhook } = latest
  const { client, at } = useEnvironment()
  const [event_id, setEvent] = useState<string | null>(null)
  const test = useAction(() => client.testWebhook({ ...at, webhook_id: webhook.id }), {
    changes: [deliveries.all(webhook.id)],
    done: (sent) => setEvent(sent.event_id),
  })
  return (
    <Page
      title={webhook.slug}
      lead={
        <>
          <WebhookStatus of={webhook} /> <code className="any">{webhook.url}</code>
        </>
      }
      actions={
        <ChangeButton onClick={() => test.run()} disabled={test.busy} why={webhook.disabled ? 'The webhook is switched off.' : undefined}>
          <Icon name="send" /> Send test event
        </ChangeButton>
      }
    >
      <Problem error={test.error} />
      {webhook.disabled ? <SwitchedOff latest={latest} /> : null}
      {event_id ? <TestAnswer key={event_id} webhook={webhook} event_id={event_id} close={() => setEvent(null)} /> : null}
      {children}
    </Page>
  )
}

const causes = {
  gone: 'The receiver answered 410, which asks never to be called again.',
  failing: 'No delivery succeeded for five days.',
}

/** Why it is switched off, and the way back. */
function SwitchedOff({ latest }: { latest: Version<Record> }) {
  const { data: webhook } = latest
  const save = useSave(savingWebhook(useEnvironment(), latest))
  return (
    <div className="note bad off">
      <Icon name="warn" size={16} />
      <div>
        <p className="strong">Switched off: nothing is sent.</p>
        <p>
          {webhook.disabled_reason ? causes[webhook.disabled_reason] : 'A person or a key switched it off.'} Events that happen while it is
          off are not sent later; their bodies stay on the page Events. Correct the receiver, switch the webhook on, then send a test event.
        </p>
        <Problem error={save.error} />
        {save.dialog}
        <ChangeButton className="btn s" onClick={() => save.run({ disabled: false })} disabled={save.busy}>
          Switch on
        </ChangeButton>
      </div>
    </div>
  )
}
