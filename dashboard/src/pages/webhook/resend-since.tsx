/** Sends again everything that failed, or all, since a time. The number is known before anything is sent. */

import { NativeSelect, TextInput } from '@mantine/core'
import type { Webhook } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { Buttons, Dialog } from '../../parts/dialog.tsx'
import { entered } from '../../parts/fields.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { ThisEnvironment } from '../../parts/tag.tsx'
import { deliveries } from '../../queries/webhooks.ts'
import { useEnvironment } from '../../scope.tsx'

const DAY_MS = 86_400_000
/** The service sends at most this many at once: the oldest. */
const MOST = 10_000

/** A time as the field has it: local, without a zone. */
const localOf = (time: number) => new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

const sets = [
  { value: 'given_up', label: 'Those that were given up' },
  { value: 'all', label: 'All, also those that were delivered' },
]

export function ResendSince({ webhook, close }: { webhook: Webhook; close: () => void }) {
  const { client, at } = useEnvironment()
  const [typed, setTyped] = useState(() => localOf(Date.now() - DAY_MS))
  const [status, setStatus] = useState<'given_up' | 'all'>('given_up')
  const here = { ...at, webhook_id: webhook.id }
  const since = Number.isNaN(Date.parse(typed)) ? null : new Date(typed).toISOString()
  const count = useRead(deliveries.count({ client, at }, webhook.id, { since: since ?? '', status }), { enabled: since !== null })
  const send = useAction(() => client.resendSince(here, { since: since ?? '', status }), {
    changes: [deliveries.all(webhook.id)],
    done: close,
  })
  const messages = count.data?.messages
  const error = send.error ?? count.error
  return (
    <Dialog
      busy={send.busy}
      onClose={close}
      title="Send again what failed"
      lead={
        <>
          To <ThisEnvironment /> {webhook.slug}
        </>
      }
      footer={
        <Buttons
          keep="Cancel"
          onClose={close}
          act={messages === undefined ? 'Send again' : `Send ${messages.toLocaleString('en')} again`}
          onAct={() => send.run()}
          disabled={!messages}
          busy={send.busy}
        />
      }
    >
      <TextInput label="Since, in local time" type="datetime-local" required max={localOf(Date.now())} {...entered(typed, setTyped)} />
      <NativeSelect
        label="Messages"
        data={sets}
        value={status}
        onChange={(event) => setStatus(event.currentTarget.value === 'all' ? 'all' : 'given_up')}
      />
      <p aria-live="polite">
        {since === null
          ? 'Enter a date and a time.'
          : messages === undefined
            ? 'Counting…'
            : messages === 0
              ? 'No message to send again since then.'
              : messages === 1
                ? '1 message is sent again, with its old id.'
                : `${messages.toLocaleString('en')} messages are sent again, each with its old id, so that the receiver can leave out those that it has.`}
        {messages === MOST ? ' There may be more: these are the oldest.' : ''}
      </p>
      <Problem error={error} />
    </Dialog>
  )
}
