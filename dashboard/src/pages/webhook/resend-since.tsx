/** Sends again what failed, or all, or what was missed, since a time. The number is known before anything is sent. */

import { NativeSelect, TextInput } from '@mantine/core'
import type { Webhook } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { Buttons, Dialog } from '../../parts/dialog.tsx'
import { entered } from '../../parts/fields.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { ThisEnvironment } from '../../parts/tag.tsx'
import { deliveries, type Resent } from '../../queries/webhooks.ts'
import { useEnvironment } from '../../scope.tsx'

const DAY_MS = 86_400_000
/** The service sends at most this many at once: the oldest. */
const MOST = 10_000

/** A time as the field has it: local, without a zone. */
const localOf = (time: number) => new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

const sets: readonly { value: Resent['status']; label: string }[] = [
  { value: 'given_up', label: 'Those that were given up' },
  { value: 'missed', label: 'Those that were missed while the webhook was off or not there' },
  { value: 'all', label: 'All, also those that were delivered' },
]

/** A time that was entered as the service takes it; `null` for another text. */
const timeOf = (typed: string) => (Number.isNaN(Date.parse(typed)) ? null : new Date(typed).toISOString())

export function ResendSince({ webhook, close }: { webhook: Webhook; close: () => void }) {
  const { client, at } = useEnvironment()
  const [typed, setTyped] = useState(() => localOf(Date.now() - DAY_MS))
  const [end, setEnd] = useState('')
  const [status, setStatus] = useState<Resent['status']>('given_up')
  const here = { ...at, webhook_id: webhook.id }
  const since = timeOf(typed)
  const which = { since: since ?? '', until: timeOf(end) ?? undefined, status }
  const count = useRead(deliveries.count({ client, at }, webhook.id, which), { enabled: since !== null })
  const send = useAction(() => client.resendSince(here, which), {
    changes: [deliveries.all(webhook.id)],
    done: close,
  })
  const messages = count.data?.messages
  const error = send.error ?? count.error
  return (
    <Dialog
      busy={send.busy}
      onClose={close}
      title="Send again what failed or was missed"
      lead={
        <>
          To <ThisEnvironment /> {webhook.slug}
        </>
      }
      footer={
        <Buttons
          keep="Cancel"
          onClose={close}
          act={messages === undefined ? 'Send again' : `Send ${messages.toLocaleString('en')}${status === 'missed' ? '' : ' again'}`}
          onAct={() => send.run()}
          disabled={!messages}
          busy={send.busy}
        />
      }
    >
      <TextInput label="Since, in local time" type="datetime-local" required max={localOf(Date.now())} {...entered(typed, setTyped)} />
      <TextInput label="Until, optional" type="datetime-local" max={localOf(Date.now())} {...entered(end, setEnd)} />
      <NativeSelect
        label="Messages"
        data={[...sets]}
        value={status}
        onChange={(event) => setStatus(sets.find(({ value }) => value === event.currentTarget.value)?.value ?? 'given_up')}
      />
      <p aria-live="polite">
        {since === null ? 'Enter a date and a time.' : messages === undefined ? 'Counting…' : sentence(messages, status)}
        {messages === MOST ? ' There may be more: these are the oldest.' : ''}
      </p>
      <Problem error={error} />
    </Dialog>
  )
}

function sentence(messages: number, status: Resent['status']): string {
  if (status === 'missed' && messages > 0)
    return messages === 1
      ? '1 event that was missed is sent.'
      : `${messages.toLocaleString('en')} events that were missed are sent, in their order. Each is sent for the first time.`
  if (messages === 0) return status === 'missed' ? 'No event was missed since then.' : 'No message to send again since then.'
  if (messages === 1) return '1 message is sent again, with its old id.'
  return `${messages.toLocaleString('en')} messages are sent again, each with its old id, so that the receiver can leave out those that it has.`
}
