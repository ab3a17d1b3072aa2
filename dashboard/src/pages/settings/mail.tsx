/** How the environment sends mail, and a test mail whose outcome is shown in place. The password is never shown back. */
import '../../styles/mail.css'
import { NativeSelect, PasswordInput, TextInput } from '@mantine/core'
import type { MailTested, Settings } from '@ostiary/sdk'
import { type FormEvent, useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { Card } from '../../parts/card.tsx'
import type { Edited } from '../../parts/edit.tsx'
import { entered } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icon.tsx'
import { fieldError, Problem } from '../../parts/problem.tsx'
import { inbox } from '../../queries/environment.ts'
import { useEnvironment } from '../../scope.tsx'
import { useSettingsEdit } from './edits.ts'
import { mail_fields as names } from './fields.ts'

type Email = Settings['email']
type Smtp = NonNullable<Email['smtp']>

const deliveries = {
  none: 'None: no mail is sent',
  capture: 'Capture: mail is kept in the inbox and never sent',
  smtp: 'SMTP: mail is sent by your mail server',
} as const
const encryptions = [
  { value: 'starttls', label: 'STARTTLS, required' },
  { value: 'implicit', label: 'TLS from the start' },
  { value: 'none', label: 'None: allowed private networks only' },
]
export function MailSettings({ base, report }: Edited<Settings>) {
  const { email } = base.data
  const { environment, can } = useEnvironment()
  const [delivery, setDelivery] = useState(email.delivery)
  const [from, setFrom] = useState(email.from ?? '')
  const [smtp, setSmtp] = useState(fieldsOf(email.smtp))
  const [password, setPassword] = useState('')
  const has_new_host = email.smtp !== null && smtp.host !== email.smtp.host
  const change = changeOf(email, { delivery, from, smtp, password })
  const is_edited = Object.keys(change).length > 0
  const save = useSettingsEdit({ base, report }, is_edited ? { email: change } : {}, (pointer) => names[pointer])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.submit()
  }
  const text = (name: keyof typeof smtp, pointer: string) => ({
    label: names[pointer],
    value: smtp[name],
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setSmtp((before) => ({ ...before, [name]: value }))
    },
    error: fieldError(save.error, pointer),
  })
  return (
    <Card title="Mail">
      <form onSubmit={submit}>
        <fieldset disabled={!can('developer') || save.busy} className="settings-rows">
          <NativeSelect
            label={names['/email/delivery']}
            data={Object.entries(deliveries)
              .filter(([value]) => value !== 'capture' || environment.type === 'test')
              .map(([value, label]) => ({ value, label }))}
            value={delivery}
            onChange={(event) => setDelivery(event.currentTarget.value as Email['delivery'])} // as: the values of the list
            error={fieldError(save.error, '/email/delivery')}
          />
          <TextInput
            label={names['/email/from']}
            description="An address, or Name <address>."
            {...entered(from, setFrom, save.error, '/email/from')}
          />
          {delivery === 'smtp' ? (
            <>
              <TextInput required placeholder="mail.example.com" {...text('host', '/email/smtp/host')} />
              <TextInput
                type="number"
                min={1}
                max={65_535}
                required
                description="587 as a rule, 465 for TLS from the start."
                {...text('port', '/email/smtp/port')}
              />
              <NativeSelect data={encryptions} {...text('tls', '/email/smtp/tls')} />
              <TextInput autoComplete="off" {...text('username', '/email/smtp/username')} />
              <PasswordInput
                label={names['/email/smtp/password']}
                description={passwordHelp(email.smtp, has_new_host)}
                autoComplete="new-password"
                {...entered(password, setPassword, save.error, '/email/smtp/password')}
              />
            </>
          ) : null}
        </fieldset>
        <div className="mail-save">
          <button type="submit" className="btn" disabled={!can('developer') || save.busy || !is_edited}>
            Save mail
          </button>
        </div>
        <Problem error={save.error} focus />
      </form>
      {save.dialog}
      <TestMail is_saved={!is_edited} delivery={email.delivery} />
    </Card>
  )
}

function passwordHelp(smtp: Smtp | null, has_new_host: boolean): string {
  if (!smtp?.has_password) return 'None is set.'
  return has_new_host ? 'A new mail server needs the password again.' : 'Set, and never shown. Empty keeps it.'
}

const fieldsOf = (smtp: Smtp | null) => ({
  host: smtp?.host ?? '',
  port: String(smtp?.port ?? 587),
  tls: String(smtp?.tls ?? 'starttls'),
  username: smtp?.username ?? '',
})

interface Entered {
  delivery: Email['delivery']
  from: string
  smtp: ReturnType<typeof fieldsOf>
  password: string
}

/** Returns the differences from the stored settings. The mail server stays stored while another delivery is chosen. */
function changeOf(email: Email, { delivery, from, smtp, password }: Entered): Record<string, unknown> {
  const next = { host: smtp.host, port: Number(smtp.port), tls: smtp.tls, username: smtp.username || null }
  const before = email.smtp as unknown as Record<string, unknown> | null // as: read by name
  const server = Object.fromEntries(Object.entries(next).filter(([name, value]) => before === null || before[name] !== value))
  const changed = { ...server, ...(password === '' ? {} : { password }) }
  return {
    ...(delivery === email.delivery ? {} : { delivery }),
    ...((from || null) === email.from ? {} : { from: from || null }),
    ...(delivery === 'smtp' && Object.keys(changed).length > 0 ? { smtp: changed } : {}),
  }
}

const stages: Record<MailTested['stage'], string> = {
  dns: 'the look-up of the mail server',
  connect: 'the connection',
  tls: 'the encryption',
  greeting: 'the greeting',
  auth: 'user name and password',
  recipient: 'the recipient',
  data: 'the mail itself',
}

/** Sends a mail by the stored settings and says how far it got. */
function TestMail({ is_saved, delivery }: { is_saved: boolean; delivery: Email['delivery'] }) {
  const { client, at, me, can } = useEnvironment()
  const [to, setTo] = useState(me.email)
  const [tested, setResult] = useState<MailTested | null>(null)
  const test = useAction(() => client.testMail(at, { to }), { changes: [inbox.all({ at })], done: (result) => setResult(result) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setResult(null)
    test.run()
  }
  const why = delivery === 'none' ? 'Choose a delivery first.' : is_saved ? '' : 'Save first: a test uses what is stored.'
  return (
    <form className="mail-test" onSubmit={submit}>
      <TextInput label="Send a test mail to" inputMode="email" autoCapitalize="none" required {...entered(to, setTo, test.error, '/to')} />
      <button type="submit" className="btn" disabled={!can('developer') || test.busy || why !== ''}>
        {test.busy ? 'Sending…' : 'Send test mail'}
      </button>
      {why === '' ? null : <p className="small muted">{why}</p>}
      <div aria-live="polite" className="mail-outcome">
        {tested ? <Outcome of={tested} is_captured={delivery === 'capture'} /> : null}
      </div>
      <Problem error={test.error} />
    </form>
  )
}

const Outcome = ({ of: { accepted, stage, reply, detail }, is_captured }: { of: MailTested; is_captured: boolean }) => (
  <div className={`note ${accepted ? 'ok' : 'bad'}`}>
    <Icon name={accepted ? 'check' : 'warn'} size={16} />
    <div>
      <p className="strong">
        {accepted ? (is_captured ? 'It is in the inbox.' : 'The mail server took it.') : `It failed at ${stages[stage]}.`}
      </p>
      {detail === null ? null : <p>{detail}</p>}
      {reply === null ? null : <code className="any">{reply}</code>}
    </div>
  </div>
)
