/** "Ready for Live?": the checks of the Live environment. Each open one links to the page that solves it. */

import type { Environment, Readiness } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { Icon } from '../../parts/icon.tsx'
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
  links_set:          { title: 'Terms, privacy and support are linked',  act: 'Add the links' },
  two_owners:         { title: 'A second owner can sign in',             act: 'Invite one' },
  passkeys_usable:    { title: 'Passkeys in use are switched on',        act: 'Open the settings' },
  claims_for_products: { title: 'Products get the names that they need', act: 'Open the settings' },
  real_sign_in:       { title: 'A person signed in once',                act: 'See sign-ins' },
}

export function ReadyForLive({ environment, title = 'Ready for Live?' }: { environment: Environment; title?: string }) {
  const { client, project, tenant } = useEnvironment()
  const at = { project_id: project.id, environment_id: environment.id }
  const read = useRead(readiness.one({ client, at }), { refetchInterval: 10_000 })
  const base = environmentBase(tenant.slug, project.slug, environment)
  return (
    <Loaded of={read} rows={6}>
      {({ ready, checks }) => (
        <section className="card">
          <header>
            <h2>{title}</h2>
            <div className="r">
              <Tag tone={ready ? 'ok' : 'warn'} icon={ready ? 'check' : 'warn'}>
                {checks.filter(({ ok }) => ok).length} of {checks.length}
              </Tag>
            </div>
          </header>
          <ul className="go">
            {checks
              .toSorted((a, b) => Number(a.ok) - Number(b.ok))
              .map((check) => (
                <li key={check.code} className={check.ok ? 'ok' : 'no'}>
                  <Icon name={check.ok ? 'check' : 'cross'} size={16} />
                  <b>
                    {texts[check.code].title}
                    <span className="vh">{check.ok ? ': done' : ': open'}</span>
                  </b>
                  {check.ok ? null : (
                    <p>
                      {check.detail} {check.level === 'recommended' ? 'Recommended. ' : ''}
                      <Solve to={pageOf(check.link, base, tenant.slug)}>{texts[check.code].act}</Solve>
                    </p>
                  )}
                </li>
              ))}
          </ul>
        </section>
      )}
    </Loaded>
  )
}

const Solve = ({ to, children }: { to: ReturnType<typeof pageOf>; children: string }) => (to ? <Link {...to}>{children}</Link> : null)
