/** For operators: the mail, the sign-in methods and the administrators of the deployment itself (decision 0026). */
import '../styles/overview.css'
import '../styles/compare.css'
import type { Settings, User } from '@ostiary/sdk'
import { Link, linkOptions, type ToOptions } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { CopyButton } from '../parts/copy.tsx'
import { Page } from '../parts/page.tsx'
import { Loaded, useRead } from '../parts/reading.tsx'
import { Facts } from '../parts/side.tsx'
import { Heads } from '../parts/table.tsx'
import { Tag } from '../parts/tag.tsx'
import { providers } from '../queries/providers.ts'
import { settings } from '../queries/settings.ts'
import { users } from '../queries/users.ts'
import { toPage, useEnvironment } from '../scope.tsx'
import { ReadyForLive } from './compare/ready.tsx'
import { distinctNames } from './providers/kinds.ts'

export default function Deployment() {
  const here = useEnvironment()
  const { environment, tenant } = here
  const read = useRead(settings.plain(here))
  return (
    <Page
      title="Deployment"
      lead="The environment in which the administrators of every tenant sign in. Operators keep it running; they cannot act as an administrator."
    >
      <div className="cols ready">
        <div className="stack">
          <Loaded of={read}>
            {(settings) => (
              <div className="stack">
                <Mail of={settings} />
                <Methods of={settings} />
              </div>
            )}
          </Loaded>
          <Administrators />
          <Card title="Operators" link={linkOptions({ to: '/t/$tenant/members', params: { tenant: tenant.slug } })} act="Invite or remove">
            <p className="pad muted">
              Operators change what this page shows, and block accounts. Keys, projects and users of tenants are out of their reach.
            </p>
          </Card>
        </div>
        <div className="stack">
          <ReadyForLive environment={environment} title="Ready for administrators?" />
          <Card title="Address" link={toPage('/events')} act="Events">
            {(['Issuer', 'Base URL'] as const).map((name) => {
              const value = name === 'Issuer' ? environment.issuer : location.origin
              return (
                <div className="ep" key={name}>
                  <div className="l">
                    {name} <CopyButton value={value} label={name} />
                  </div>
                  <code>{value}</code>
                </div>
              )
            })}
          </Card>
        </div>
      </div>
    </Page>
  )
}

const Card = ({
  title,
  link,
  act,
  tag,
  children,
}: {
  title: string
  link: ToOptions
  act: string
  tag?: ReactNode
  children: ReactNode
}) => (
  <section className="card">
    <header>
      <h2>{title}</h2>
      {tag}
      <div className="r">
        <Link className="small strong" {...link} aria-label={`${act}: ${title}`}>
          {act}
        </Link>
      </div>
    </header>
    {children}
  </section>
)

function Mail({ of: { email } }: { of: Settings }) {
  const sends = email.delivery === 'smtp'
  return (
    <Card
      title="Mail"
      link={toPage('/settings')}
      act="Change mail"
      tag={<Tag tone={sends ? 'ok' : 'warn'}>{sends ? 'Sent' : 'None is sent'}</Tag>}
    >
      <div className="pad">
        {sends ? null : (
          <p className="muted">
            Invitations are links that the inviter passes on, and an administrator who loses a password needs an operator. Set a mail server
            to change that.
          </p>
        )}
        {sends ? (
          <Facts
            of={{
              Sender: email.from ?? 'Not set',
              'Mail server': email.smtp ? `${email.smtp.host}, port ${email.smtp.port}` : 'Not set',
              TLS: email.smtp?.tls ?? 'Not set',
            }}
          />
        ) : null}
      </div>
    </Card>
  )
}

const OnOff = ({ is_on }: { is_on: boolean }) => (
  <Tag tone={is_on ? 'ok' : ''} icon={is_on ? 'check' : 'cross'}>
    {is_on ? 'On' : 'Off'}
  </Tag>
)

function Methods({ of: { sign_in, mfa } }: { of: Settings }) {
  const all = useRead(providers.hundred(useEnvironment())).data?.data ?? []
  const enabled = all.filter((provider) => provider.enabled).map(distinctNames(all))
  return (
    <Card title="Methods" link={toPage('/settings')} act="Change methods">
      <div className="pad">
        <Facts
          of={{
            Password: <OnOff is_on={sign_in.password} />,
            'Emailed code': <OnOff is_on={sign_in.email_code} />,
            Passkey: <OnOff is_on={sign_in.passkey} />,
            'Second factor': { off: 'Off', optional: 'Optional', required: 'Required' }[mfa.mode],
            Providers: (
              <Link className="u" {...toPage('/providers')}>
                {enabled.length === 0 ? 'None' : enabled.join(', ')}
              </Link>
            ),
          }}
        />
      </div>
    </Card>
  )
}

function Administrators() {
  const latest = useRead(users.latest(useEnvironment()))
  return (
    <Loaded of={latest}>
      {({ data }) => (
        <Card title="Administrators" link={toPage('/users')} act="All administrators">
          <table className="rows" aria-label="Administrators">
            <Heads of={['Person', 'Status']} />
            <tbody>
              {data.map((user: User) => (
                <tr key={user.id}>
                  <td className="kn">
                    <b>
                      <Link {...toPage('/users', { chosen: user.id })}>{user.name ?? user.email ?? user.id}</Link>
                    </b>
                    {user.name && user.email ? <span className="muted">{user.email}</span> : null}
                  </td>
                  <td data-l="Status">
                    <Tag tone={user.blocked_at ? 'bad' : 'ok'} icon={user.blocked_at ? 'lock' : 'check'}>
                      {user.blocked_at ? 'Blocked' : 'Can sign in'}
                    </Tag>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Card>
      )}
    </Loaded>
  )
}
