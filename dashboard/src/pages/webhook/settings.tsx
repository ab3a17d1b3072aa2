/** The address of a webhook, whether it is on, its signing secret, and its end. */

import type { Webhook, WebhookWithSecret } from '@ostiary/sdk'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { CodeTabs } from '../../parts/code.tsx'
import { ConfirmCall } from '../../parts/confirm.tsx'
import { type Edited, EditForm, useEdit } from '../../parts/edit.tsx'
import { ObjectFields, useObjectFields } from '../../parts/object-fields.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import type { Question } from '../../parts/question.ts'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { ThisEnvironment } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { webhooks } from '../../queries/webhooks.ts'
import { toPage, useEnvironment } from '../../scope.tsx'
import { savingWebhook } from './saving.ts'
import { verifySnippets } from './verify-code.ts'

const switching_off: Omit<Question, 'title'> = {
  consequence:
    'The receiver gets no events from now on. Waiting deliveries are given up, and events until you switch it on are not sent later.',
  keep: 'Keep it on',
  act: 'Switch off now',
}

export function WebhookSettings({ base, report }: Edited<Webhook>) {
  const here = useEnvironment()
  const { data: webhook } = base
  const fields = useObjectFields('webhook', webhook, ['url', 'description', 'disabled'])
  const edit = useEdit({ ...savingWebhook(here, base), report, change: fields.change })
  const question = fields.change.disabled ? { title: `Switch off ${webhook.slug}?`, ...switching_off } : null
  return (
    <EditForm edit={edit} name={webhook.slug} question={question}>
      <ObjectFields of={fields} error={edit.error} but={{ url: { type: 'url' } }} />
    </EditForm>
  )
}

/** Outside of the form, which begins again with each version of the webhook: the new secret is shown once. */
export function Secret({ webhook }: { webhook: Webhook }) {
  const { client, at } = useEnvironment()
  const [is_open, setOpen] = useState(false)
  const [rotated, setRotated] = useState<WebhookWithSecret | null>(null)
  const until = webhook.previous_secret_until
  return (
    <Card title="Signing secret">
      <div className="pad">
        <p>
          {until && Date.parse(until) > Date.now() ? (
            <>
              Both the old and the new secret sign. The old one stops <Time at={until} />: replace it in the receiver before that.
            </>
          ) : (
            'Shown once, when the webhook was created or its secret rotated. Lost it? Rotate it.'
          )}
        </p>
        <p className="after">
          <ChangeButton onClick={() => setOpen(true)}>Rotate secret…</ChangeButton>
        </p>
      </div>
      {is_open ? (
        <ConfirmCall
          title={`Rotate the secret of ${webhook.slug}?`}
          consequence={
            <>
              <b className="strong">For 24 hours each call carries both signatures,</b> so nothing fails while you replace the secret. After
              that only the new one signs.
            </>
          }
          keep="Keep the secret"
          act="Rotate now"
          call={() => client.rotateWebhookSecret({ ...at, webhook_id: webhook.id })}
          changes={[webhooks.one({ client, at }, webhook.id).queryKey]}
          secret
          done={(result) => {
            setOpen(false)
            setRotated(result)
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
      {rotated ? (
        <SecretOnce
          what="signing secret"
          name={webhook.slug}
          secret={rotated.secret}
          lost="The old secret signs for 24 hours. Rotate the secret again before it stops."
          rotate={() => {
            setRotated(null)
            setOpen(true)
          }}
          tags={<ThisEnvironment />}
          onClose={() => setRotated(null)}
        >
          <CodeTabs label="Verify it" snippets={verifySnippets} />
        </SecretOnce>
      ) : null}
    </Card>
  )
}

export function Delete({ webhook }: { webhook: Webhook }) {
  const { client, at } = useEnvironment()
  const navigate = useNavigate()
  const [is_open, setOpen] = useState(false)
  return (
    <Card title="Delete">
      <div className="pad">
        <p>Waiting deliveries are not sent any more, and the history of deliveries is gone.</p>
        <p className="after">
          <ChangeButton className="btn bad" onClick={() => setOpen(true)}>
            Delete webhook…
          </ChangeButton>
        </p>
      </div>
      {is_open ? (
        <ConfirmCall
          title={`Delete ${webhook.slug}?`}
          consequence="The receiver gets no more events. Waiting deliveries are not sent, and the history of deliveries is gone."
          keep="Keep the webhook"
          act="Delete now"
          typed={webhook.slug}
          call={() => client.deleteWebhook({ ...at, webhook_id: webhook.id })}
          changes={[webhooks.all({ at })]}
          done={() => void navigate({ ...toPage('/webhooks'), ignoreBlocker: true })}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </Card>
  )
}
