/** Try sign-in: the real flow in a window, its steps with their times, and the tokens claim by claim. */
import '../../../styles/try.css'
import type { Application } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Card } from '../../../parts/card.tsx'
import { CopyButton } from '../../../parts/copy.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { useRead } from '../../../parts/reading.tsx'
import { useQueryState } from '../../../parts/search.ts'
import { Tag } from '../../../parts/tag.tsx'
import { callsOfEnvironment } from '../../../queries/calls.ts'
import { inbox } from '../../../queries/environment.ts'
import { toApplication, toOrganization, toPage, useEnvironment } from '../../../scope.tsx'
import { createdSecret } from '../../applications/created-secret.ts'
import { Decoded } from './decoded.tsx'
import { DemoApi } from './demo-api.tsx'
import { RunOptions, useOptions } from './options.tsx'
import { Preparation } from './preparation.tsx'
import { type Failure, type Run, tryCallback, useTry } from './run.ts'
import { fixOf, orgIdOf } from './words.ts'

export function TrySignIn({ application, etag }: { application: Application; etag: string | null }) {
  const { environment } = useEnvironment()
  const { run, start } = useTry(application, environment.issuer)
  const [secret, setSecret] = useState(() => createdSecret(application.id))
  const chosen = useOptions(application)
  const refusals = useRefusals(application, run)
  const is_ready = application.redirect_uris.includes(tryCallback())
  const begin = (options = chosen.options) => {
    refusals.forget()
    void start(options, secret)
  }
  const signInAs = (login_hint: string) => {
    chosen.setOption('login_hint', login_hint)
    begin({ ...chosen.options, login_hint, prompt: 'login' })
  }
  return (
    <div className="try-columns">
      <div className="stack">
        {is_ready ? null : <Preparation application={application} etag={etag} />}
        <Card title="Try sign-in" beside={<Outcome run={run} />}>
          {run ? (
            <Steps
              run={run}
              refusals={refusals.found}
              has_key={application.token_endpoint_auth_method === 'private_key_jwt'}
              uses_organizations={chosen.uses_organizations}
            />
          ) : (
            <Introduction application={application} />
          )}
          <RunOptions application={application} {...chosen} secret={secret} setSecret={setSecret} />
          <div className="fin">
            <button
              type="button"
              className="btn pri"
              disabled={!is_ready || chosen.is_reading || run?.state === 'working'}
              onClick={() => begin()}
            >
              <Icon name={run ? 'again' : 'play'} /> {run ? 'Run again' : 'Try sign-in'}
            </button>
            {run?.state === 'done' ? (
              <Link className="btn" {...toApplication(application.id, { tab: 'connect' })}>
                Put this in your app
              </Link>
            ) : null}
            <span className="xs faint">
              {is_ready ? 'Tokens stay in this tab and are revoked when you leave.' : 'Add the redirect URI first.'}
            </span>
          </div>
        </Card>
        <DemoApi tokens={run?.tokens ?? null} signInAs={signInAs} />
      </div>
      <Decoded run={run} />
    </div>
  )
}

function Introduction({ application }: { application: Application }) {
  const { provider } = useQueryState().search
  return (
    <div className="pad form">
      <p className="muted">
        A window opens with the sign-in page that people see. The steps appear here, and then what {application.name} would get.
      </p>
      {provider === undefined ? null : (
        <p className="strong">To try out {provider}, press its button in the window. If it fails, the reason appears here.</p>
      )}
    </div>
  )
}

function Outcome({ run }: { run: Run | null }) {
  if (run === null || run.state === 'working') return null
  if (run.state === 'waiting') return <Tag icon="clock">Waiting for the window</Tag>
  if (run.state === 'failed') return <Tag tone="bad">Failed</Tag>
  return <Tag tone="ok">{run.state === 'done' ? 'Everything agrees' : 'Code received'}</Tag>
}

interface Refusal {
  id: string
  code: string
  reason: string
}

/** Returns the refused calls of this application since the run began. */
function useRefusals(application: Application, run: Run | null) {
  const here = useEnvironment()
  const [last, setLast] = useState('')
  const is_active = run?.state === 'waiting' || run?.state === 'failed'
  const read = useRead(callsOfEnvironment(here).ofApplication(application.id), {
    enabled: here.can('developer'),
    refetchInterval: is_active ? 2_000 : false,
  })
  const all: Refusal[] = read.data?.data ?? []
  return {
    found: all.filter(({ id }) => id > last),
    /** Ids ascend, so a later refusal has a greater one. */
    forget: () => setLast(all[0]?.id ?? ''),
  }
}

interface StepsProps {
  run: Run
  refusals: Refusal[]
  has_key: boolean
  uses_organizations: boolean
}

function Steps({ run, refusals, has_key, uses_organizations }: StepsProps) {
  const { failure } = run
  return (
    <div aria-live="polite">
      <ol className="flow">
        {run.steps.map(({ name, detail, aside }) => (
          <li key={name}>
            <span className="d">
              <Icon name="check" size={13} />
            </span>
            <b>{name}</b>
            <span className="ms">{aside}</span>
            <p>{detail}</p>
          </li>
        ))}
        {failure ? <Failed failure={failure} refusals={refusals} /> : null}
        {run.state === 'waiting' ? <Waiting is_closed={run.is_window_closed} refusals={refusals} /> : null}
      </ol>
      {run.tokens && uses_organizations ? <ActsFor org_id={orgIdOf(run.tokens)} /> : null}
      {run.not_given.length > 0 ? <NotGiven scopes={run.not_given} /> : null}
      {run.state === 'code_only' ? (
        <p className="note try-note">
          <Icon name="info" size={16} />
          <span>
            {has_key
              ? 'The run ends at the code, because its exchange needs the private key of the application.'
              : 'The run ends at the code, because its exchange needs the client secret. Paste the secret below, and run it again.'}
          </span>
        </p>
      ) : null}
    </div>
  )
}

/** An application compares it with the organization that it asked for. */
const ActsFor = ({ org_id }: { org_id: string | null }) => (
  <p className="note try-note">
    <Icon name="info" size={16} />
    <span>
      {org_id === null ? (
        'The tokens have no org_id: the person acts in no organization.'
      ) : (
        <>
          The person acts in the organization <code>org_id</code>{' '}
          <Link className="u mono any" {...toOrganization(org_id)}>
            {org_id}
          </Link>
          .
        </>
      )}
    </span>
  </p>
)

/** A token has the scopes that the roles of the person give, which can be fewer than were asked for. */
const NotGiven = ({ scopes }: { scopes: string[] }) => (
  <div className="note warn try-note">
    <Icon name="warn" size={16} />
    <span>
      Asked for and not given:{' '}
      {scopes.map((name, place) => (
        <span key={name}>
          {place > 0 ? ', ' : ''}
          <code>{name}</code>
        </span>
      ))}
      . Where a resource server needs roles, a person gets only the scopes that their{' '}
      <Link className="u" {...toPage('/roles')}>
        roles
      </Link>{' '}
      give. The record of the user says which.
    </span>
  </div>
)

const Waiting = ({ is_closed, refusals }: { is_closed: boolean; refusals: Refusal[] }) => (
  <li>
    <span className="d o">
      <Icon name="clock" size={13} />
    </span>
    <b>{is_closed ? 'The window is closed' : 'Waiting for the sign-in'}</b>
    <span className="ms" />
    <p>{is_closed ? 'Run it again to open another one.' : 'Sign in, or create an account, in the window that opened.'}</p>
    <CapturedMail />
    {refusals.map((refusal) => (
      <Reason key={refusal.id} of={refusal} />
    ))}
  </li>
)

/** In Test the mail of the sign-in is captured, so its code is here. */
function CapturedMail() {
  const here = useEnvironment()
  const [known, setKnown] = useState<string | null>(null)
  const read = useRead(inbox.newest(here), {
    enabled: here.environment.type === 'test' && here.can('developer'),
    refetchInterval: 2_000,
  })
  const latest = read.data?.data[0]
  // Refusals from before the sign-in do not belong to it.
  useEffect(() => {
    if (known === null && read.isFetchedAfterMount) setKnown(latest?.id ?? '')
  }, [known, read.isFetchedAfterMount, latest?.id])
  if (!latest || known === null || latest.id === known || latest.code === null) return null
  return (
    <p>
      Mail to {latest.to}: the code is <code className="strong">{latest.code}</code> <CopyButton value={latest.code} label="the code" />
    </p>
  )
}

/** The OAuth error, our reason, and what to do. */
function Failed({ failure, refusals }: { failure: Failure; refusals: Refusal[] }) {
  const { name, code, description, request_id } = failure
  const refusal = refusals.find((refusal) => (request_id === null ? refusal.code === code : refusal.id === request_id))
  return (
    <li>
      <span className="d bad">
        <Icon name="cross" size={13} />
      </span>
      <b>{name}: failed</b>
      <span className="ms" />
      <p>
        <code>{code}</code> {description}
      </p>
      {refusal ? <Reason of={refusal} is_explained /> : null}
      <p className="strong">{fixOf(code)}</p>
    </li>
  )
}

/** `is_explained`: the code is there already. */
function Reason({ of: { id, code, reason }, is_explained = false }: { of: Refusal; is_explained?: boolean }) {
  return (
    <p>
      {is_explained ? null : <code>{code} </code>}
      {reason}{' '}
      <Link className="u" {...toPage('/calls', { chosen: id })} target="_blank">
        Open the call<span className="vh">: {id}</span>
      </Link>
    </p>
  )
}
