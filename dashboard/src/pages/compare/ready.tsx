/** "Before Live": the checks of the Live environment, as on its overview. Each open one links to the page that solves it. */

import type { Environment, Readiness } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type CheckState, countDone, notNeededWords, stateOf } from '../../parts/readiness.ts'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { Tag } from '../../parts/tag.tsx'
import { readiness } from '../../queries/environment.ts'
import { environmentBase, useEnvironment } from '../../scope.tsx'
import { pageOf } from './page-of.ts'

type Check = Readiness['checks'][number]

// biome-ignore format: this table is read by column
const texts: Record<Check['code'], { title: string; act: string }> = {
  mail_works:         { title: 'Mail can be sent',                       act: 'Mail settings' },
  application_exists: { title: 'An application exists',                  act: 'Create one in Live' },
  https_only:         { title: 'Addresses use https',                    act: 'Change the address' },
  no_try_address:     { title: 'No redirect URI is for trying out',    act: 'Remove it' },
  keys_restricted:    { title: 'Secret keys are restricted',             act: 'Restrict the keys' },
  webhooks_answer:    { title: 'Webhooks answer',                        act: 'Open the webhook' },
  providers_answer:   { title: 'Providers answer',                       act: 'Open the providers' },
  nothing_ends_soon:  { title: 'No secret and no key ends soon',         act: 'Replace it' },
  links_set:          { title: 'Terms, privacy and support are linked',  act: 'Add the links' },
  two_owners:         { title: 'A second owner can sign in',             act: 'Invite one' },
  passkeys_usable:    { title: 'Passkeys in use are switched on',        act: 'Open the settings' },
  claims_for_products: { title: 'Products get the names that they need', act: 'Open the settings' },
  roles_give_scopes:  { title: 'Roles give the scopes that need one',    act: 'Open the roles' },
  organizations_exist: { title: 'Organizations exist where one is needed', act: 'Open the organizations' },
  agents_get_tokens:  { title: 'Agents get tokens without openid',       act: 'Open the settings' },
  real_sign_in:       { title: 'A person signed in once',                act: 'See sign-ins' },
}

export function ReadyForLive({ environment, title = 'Before Live' }: { environment: Environment; title?: string }) {
  const { client, project, tenant } = useEnvironment()
  const at = { project_id: project.id, environment_id: environment.id }
  const read = useRead(readiness.one({ client, at }), { refetchInterval: 10_000 })
  const base = environmentBase(tenant.slug, project.slug, environment)
  return (
    <Loaded of={read} rows={6}>
      {({ ready, checks }) => (
        <Card title={title} beside={<Tag tone={ready ? 'ok' : 'warn'}>{doneOf(checks)}</Tag>}>
          <ul className="go">
            {checks
              .filter((check) => stateOf(check) !== 'not_needed')
              .toSorted((a, b) => Number(a.ok) - Number(b.ok))
              .map((check) => (
                <Line key={check.code} {...check}>
                  {check.ok ? null : (
                    <p>
                      {check.detail} {check.level === 'recommended' ? 'Recommended. ' : ''}
                      <Solve to={pageOf(check.link, base, tenant.slug)}>{texts[check.code].act}</Solve>
                    </p>
                  )}
                </Line>
              ))}
          </ul>
          <Unneeded of={checks.filter((check) => stateOf(check) === 'not_needed')} />
        </Card>
      )}
    </Loaded>
  )
}

function Unneeded({ of: checks }: { of: Check[] }) {
  if (checks.length === 0) return null
  return (
    <details className="unneeded">
      <summary>{notNeededWords(checks.length)}</summary>
      <ul className="go">
        {checks.map((check) => (
          <Line key={check.code} {...check} />
        ))}
      </ul>
    </details>
  )
}

function Line({ code, ok, applies, children }: Pick<Check, 'code' | 'ok' | 'applies'> & { children?: ReactNode }) {
  const state = stateOf({ ok, applies })
  const { icon, className, said } = looks[state]
  return (
    <li className={className}>
      <Icon name={icon} size={16} />
      <b>
        {texts[code].title}
        <span className="vh">{said}</span>
      </b>
      {children}
    </li>
  )
}

const looks = {
  open: { icon: 'cross', className: 'no', said: ': open' },
  done: { icon: 'check', className: 'ok', said: ': done' },
  not_needed: { icon: 'minus', className: 'unneeded', said: '' },
} as const satisfies Record<CheckState, object>

function doneOf(checks: readonly Check[]): string {
  const { done, of } = countDone(checks.map(stateOf))
  return `${done} of ${of} done`
}

const Solve = ({ to, children }: { to: ReturnType<typeof pageOf>; children: string }) => (to ? <Link {...to}>{children}</Link> : null)
