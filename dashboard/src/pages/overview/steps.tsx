/** The steps from an empty environment to real users. Each ticks itself from what the API reports; nothing is stored. */

import type { ApiKey, Readiness } from '@ostiary/sdk'
import { Link, type ToOptions } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { type CheckState, countDone, notNeededWords, stateOf } from '../../parts/readiness.ts'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { applications } from '../../queries/applications.ts'
import { readiness } from '../../queries/environment.ts'
import { firstHundredKeys } from '../../queries/keys.ts'
import { environmentBase, toApplication, toPage, useEnvironment } from '../../scope.tsx'
import { pageOf } from '../compare/page-of.ts'
import { OnceQuiet } from './once-quiet.tsx'
import { StepLine } from './step-line.tsx'

const BringToLive = lazy(() => import('./bring-to-live.tsx'))

type Check = Readiness['checks'][number]

// biome-ignore format: this table is read by column
const words: Record<Check['code'], { title: string; act: string }> = {
  application_exists: { title: 'Create an application',       act: 'New application' },
  real_sign_in:       { title: 'Sign in once',                act: 'Try sign-in' },
  mail_works:         { title: 'Set up mail',                 act: 'Mail settings' },
  https_only:         { title: 'Use https only',              act: 'Change the address' },
  no_try_address:     { title: 'Remove the address for trying out', act: 'Application' },
  keys_restricted:    { title: 'Restrict the keys',           act: 'Keys' },
  webhooks_answer:    { title: 'Answer every webhook',        act: 'Webhook' },
  providers_answer:   { title: 'Mend the provider that failed', act: 'Providers' },
  nothing_ends_soon:  { title: 'Replace what ends soon',      act: 'Open' },
  links_set:          { title: 'Link terms and privacy',      act: 'Settings' },
  two_owners:         { title: 'Have a second owner',         act: 'Members' },
  passkeys_usable:    { title: 'Keep the passkeys in use',    act: 'Settings' },
  claims_for_products: { title: 'Give products the names that they need', act: 'Settings' },
  roles_give_scopes:  { title: 'Let a role give the scopes',  act: 'Roles' },
  organizations_exist: { title: 'Create an organization',     act: 'Organizations' },
  agents_get_tokens:  { title: 'Let agents leave openid out', act: 'Settings' },
}
const order = Object.keys(words)
const first_hour: readonly string[] = ['application_exists', 'real_sign_in']

interface Step {
  id: string
  title: string
  state: CheckState
  detail: string
  act: string
  link: ToOptions | null
}

/** Whether the first hour has an open step: its button is then the filled one of the page. Until that is known, none is. */
export function useIsFirstHour(): boolean {
  const here = useEnvironment()
  const checks = useRead(readiness.one(here)).data?.checks
  const keys = useRead(firstHundredKeys(here)).data?.data
  if (here.environment.type === 'live') return false
  return !keys?.some(isUsed) || !checks || checks.some((check) => first_hour.includes(check.code) && stateOf(check) === 'open')
}

const isUsed = ({ last_used_at }: ApiKey) => last_used_at !== null

export function Steps() {
  const here = useEnvironment()
  const { environment, tenant, project } = here
  const ready = useRead(readiness.one(here), { refetchInterval: 10_000 })
  const first = useRead(applications.newest(here)).data?.data[0]
  const keys = useRead(firstHundredKeys(here)).data?.data ?? []
  const path = environmentBase(tenant.slug, project.slug, environment)
  const is_live = environment.type === 'live'
  const stepOf = (check: Check): Step => ({
    id: check.code,
    ...words[check.code],
    ...(is_live && check.code === 'real_sign_in' ? { act: 'See sign-ins' } : {}), // trying needs an address that Live must not have
    state: stateOf(check),
    detail: check.level === 'recommended' ? `${check.detail} Recommended.` : check.detail,
    link: linkOf(check),
  })
  const toCreate: ToOptions = toPage('/applications', { new: '1' })
  const toTry: ToOptions = first ? toApplication(first.id, { tab: 'try' }) : toCreate
  const linkOf = ({ code, link }: Check): ToOptions | null => {
    if (code === 'real_sign_in' && !is_live) return toTry
    return code === 'application_exists' && !first ? toCreate : pageOf(link, path, tenant.slug)
  }
  const firstCall: Step = {
    id: 'first_call',
    title: 'Call the API with a key',
    state: keys.some(isUsed) ? 'done' : 'open',
    detail: keys.length > 0 ? 'No key was used yet.' : 'Create a key for your backend, and call the service with it.',
    act: keys.length > 0 ? 'Keys' : 'Create key',
    link: toPage('/api-keys', keys.length > 0 ? {} : { new: '1' }),
  }
  return (
    <Loaded of={ready}>
      {({ ready, checks }) => {
        const sorted = checks.toSorted((a, b) => order.indexOf(a.code) - order.indexOf(b.code))
        if (is_live) return <StepCard title={ready ? 'Ready for real users' : 'Before real users come'} steps={sorted.map(stepOf)} />
        const [early, later] = [true, false].map((is_early) =>
          sorted.filter(({ code }) => first_hour.includes(code) === is_early).map(stepOf),
        )
        return (
          <div className="stack">
            <StepCard title="The first hour" steps={[...(early ?? []), firstCall]} leads />
            <StepCard title="Before Live" steps={later ?? []}>
              <OnceQuiet>
                <Suspense fallback={null}>
                  <BringToLive />
                </Suspense>
              </OnceQuiet>
            </StepCard>
          </div>
        )
      }}
    </Loaded>
  )
}

/** @param leads its first open step has the filled button, and it is one line when all are done */
function StepCard({ title, steps, leads = false, children }: { title: string; steps: Step[]; leads?: boolean; children?: ReactNode }) {
  const { done, of } = countDone(steps.map(({ state }) => state))
  const next = leads ? steps.find(({ state }) => state === 'open') : undefined
  const is_over = leads && done === steps.length
  const [is_opened, setOpened] = useState(false)
  const unneeded = steps.filter(({ state }) => state === 'not_needed')
  return (
    <Card
      title={title}
      beside={
        <>
          <span className="xs muted">
            {done} of {of} done
          </span>
          <progress className="bar" max={Math.max(of, 1)} value={done} aria-label={`${title}: steps done`} />
          {is_over ? (
            <button type="button" className="btn quiet s" aria-expanded={is_opened} onClick={() => setOpened(!is_opened)}>
              {is_opened ? 'Hide' : 'Show'}
              <span className="vh"> the steps of {title}</span>
            </button>
          ) : null}
        </>
      }
    >
      <ol className="steps" hidden={is_over && !is_opened}>
        {steps
          .filter(({ state }) => state !== 'not_needed')
          .map((step) => (
            <StepLine key={step.id} {...step}>
              {step.state === 'open' && step.link ? (
                <Link className={`btn s${step === next ? ' pri' : ''}`} {...step.link} aria-label={`${step.act}: ${step.title}`}>
                  {step.act}
                </Link>
              ) : null}
            </StepLine>
          ))}
        {children}
      </ol>
      {unneeded.length > 0 ? (
        <details className="unneeded" hidden={is_over && !is_opened}>
          <summary>{notNeededWords(unneeded.length)}</summary>
          <ul className="steps">
            {unneeded.map((step) => (
              <StepLine key={step.id} {...step} />
            ))}
          </ul>
        </details>
      ) : null}
    </Card>
  )
}
