/**
 * Shows how a third-party product signs people in: the lines for its configuration, the claims that people lack, and notes. It says when
 * the first person signed in, or why the first one was refused.
 */
import '../../styles/product.css'
import type { ApplicationTemplate } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import { fillSetup, type SetupValues, type UnmetNeed, unmetNeeds } from '../../generated/template-setup.ts'
import { useAction } from '../../parts/action.ts'
import { useAnnounce } from '../../parts/announce.tsx'
import { CodeTabs, type Filled } from '../../parts/code.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { readiness } from '../../queries/environment.ts'
import { settings } from '../../queries/settings.ts'
import { templates } from '../../queries/templates.ts'
import { toPage, useEnvironment } from '../../scope.tsx'

interface ProductSetupProps {
  template: ApplicationTemplate
  values: Omit<SetupValues, 'issuer'>
  /** The text that replaces a hidden secret in a copy. */
  filled?: Filled | undefined
}

export function ProductSetup({ template, values, filled }: ProductSetupProps) {
  const here = useEnvironment()
  const read = useRead(settings.plain(here)).data
  const all = { ...values, issuer: here.environment.issuer }
  return (
    <>
      <CodeTabs
        label={`Set up ${template.name}`}
        snippets={template.setup.map((step) => ({ name: step.title, code: fillSetup(step, all) }))}
        filled={filled}
      />
      {read ? unmetNeeds(template.needs, read).map((need) => <Need key={need.sentence} need={need} />) : null}
      {template.notes.length > 0 ? (
        <ul className="product-notes">
          {template.notes.map((note) => (
            <li key={note}>
              <Note text={note} />
            </li>
          ))}
        </ul>
      ) : null}
      {here.can('developer') ? <FirstSignIn client_id={values.client_id} /> : null}
      <p>
        <a className="u" href={template.source} target="_blank" rel="noreferrer">
          Documentation of {template.name}
        </a>
      </p>
    </>
  )
}

const press_words = {
  preferred_username: 'Put the verified address in the place of a missing user name',
  name: 'Put the verified address in the place of a missing name',
}

/** Shows a claim that people lack, with a button for the setting that supplies it. */
function Need({ need: { sentence, claim } }: { need: UnmetNeed }) {
  const here = useEnvironment()
  const { client, at } = here
  const announce = useAnnounce()
  const action = useAction((name: NonNullable<typeof claim>) => client.changeSettings(at, { claims: { [name]: 'email' } }), {
    changes: [settings.all({ at }), readiness.all({ at })],
    done: () => announce('Saved.'),
  })
  return (
    <div className="note warn">
      <div className="product-need">
        <p>{sentence}</p>
        <Problem error={action.error} />
        {claim === null ? null : (
          <ChangeButton className="btn s" disabled={action.busy} onClick={() => action.run(claim)}>
            {press_words[claim]}
          </ChangeButton>
        )}
      </div>
    </div>
  )
}

/** A sentence of a template, with names of the product between backquotes. */
const Note = ({ text }: { text: string }) =>
  text.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no state, and equal ones repeat
    index % 2 === 1 ? <code key={index}>{part}</code> : <Fragment key={index}>{part}</Fragment>,
  )

const again_ms = 5_000

/** The first sign-in through the application, or why it was refused. */
function FirstSignIn({ client_id }: { client_id: string }) {
  const here = useEnvironment()
  const [has_come, setCome] = useState(false)
  const { data } = useRead(templates.arrivals(here, client_id), { refetchInterval: has_come ? false : again_ms })
  if (data?.has_sign_in && !has_come) setCome(true)
  const refused = data?.refused ?? null
  return (
    <output>
      {data?.has_sign_in ? (
        <>
          A person has signed in through it. Where the product shows an error nonetheless, read{' '}
          <a className="u" href="/docs/guides/web-application#when-an-application-does-not-get-in" target="_blank" rel="noreferrer">
            When an application does not get in
          </a>
          .
        </>
      ) : refused ? (
        <>
          The first sign-in was refused: {refused.reason}{' '}
          <Link className="u" {...toPage('/calls', { chosen: refused.id })} target="_blank">
            Open the call
          </Link>
        </>
      ) : (
        'Waiting for the first sign-in. Use a private window: a browser that is signed in here already shows nothing.'
      )}
    </output>
  )
}
