/** "Before Live": the checks of the Live environment, as on its overview. Each open one links to the page that solves it. */

import type { Environment, Readiness } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { countDone, not_needed_words, stateOf } from '../../parts/readiness.ts'
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
              .toSorted((a, b) => order[stateOf(a)] - order[stateOf(b)])
              .map((check) => (
                <li key={check.code} className={classes[stateOf(check)]}>
                  <Icon name={icons[stateOf(check)]} size={16} />
                  <b>
                    {texts[check.code].title}
                    <span className={check.applies ? 'vh' : 'small faint'}>{said[stateOf(check)]}</span>
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
        </Card>
      )}
    </Loaded>
  )
}

const order = { open: 0, done: 1, not_needed: 2 }
const icons = { done: 'check', open: 'cross', not_needed: 'minus' } as const
const classes = { done: 'ok', open: 'no', not_needed: 'unneeded' }
const said = { done: ': done', open: ': open', not_needed: ` ${not_needed_words}` }

function doneOf(checks: readonly Check[]): string {
  const { done, of } = countDone(checks.map(stateOf))
  return `${done} of ${of} done`
}

const Solve = ({ to, children }: { to: ReturnType<typeof pageOf>; children: string }) => (to ? <Link {...to}>{children}</Link> : null)
