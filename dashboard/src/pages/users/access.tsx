/** Lists the sign-in methods, sessions and grants of a user. Each row is ended after a question. */

import type { Grant, SignInMethod, User } from '@ostiary/sdk'
import type { ReactNode } from 'react'
import { deviceOf } from '../../parts/device.ts'
import { useNames } from '../../parts/names.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import type { Question as Asked } from '../../parts/question.ts'
import { Skeleton, useList } from '../../parts/reading.tsx'
import { ShowMore } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { signInWords } from '../../parts/words.ts'
import { users } from '../../queries/users.ts'
import { useEnvironment } from '../../scope.tsx'
import { scopesWords } from './scope-words.ts'

/** A change that is asked about first, and its call. */
export interface Question extends Asked {
  run: () => Promise<unknown>
}

type List<T> = ReturnType<typeof useList<T>>

interface AccessProps {
  user: User
  methods: List<SignInMethod>
  ask: (question: Question) => void
}

export function Access({ user, methods, ask }: AccessProps) {
  const here = useEnvironment()
  const { client } = here
  const about = { user_id: user.id }
  const sessions = useList(users.sessions(here, user.id))
  const trusted = useList(users.trustedBrowsers(here, user.id))
  const grants = useList(users.grants(here, user.id))
  const nameOfId = useNames((grants.rows ?? []).map(({ application_id }) => application_id))
  const nameOfApp = (id: string) => nameOfId(id)?.name ?? id
  const endAll: Question = {
    title: 'End all sessions?',
    consequence: 'The person is signed out everywhere, and every application loses its tokens. Signing in again stays possible.',
    keep: 'Keep the sessions',
    act: 'End all now',
    run: () => client.endUserSessions(about),
  }
  return (
    <>
      <ListPart
        title="Sign-in methods"
        none="None."
        list={methods}
        ask={ask}
        row={(method) => ({
          id: method.id,
          text: methodName(method),
          more: method.last_used_at ? (
            <>
              Last used <Time at={method.last_used_at} />
            </>
          ) : (
            'Never used'
          ),
          act: 'Remove',
          question: {
            title: `Remove ${methodName(method)}?`,
            consequence: 'The person can no longer sign in with it. Sessions that began with it end.',
            keep: 'Keep the method',
            act: 'Remove now',
            run: () => client.removeUserMethod({ ...about, method_id: method.id }),
          },
        })}
      />
      <ListPart
        title="Sessions"
        none="Not signed in anywhere."
        list={sessions}
        ask={ask}
        action={
          <ChangeButton className="btn s" onClick={() => ask(endAll)}>
            End all
          </ChangeButton>
        }
        row={(session) => {
          const text = `${deviceOf(session.user_agent)}, ${session.ip ?? 'unknown address'}`
          return {
            id: session.id,
            text,
            more: (
              <>
                Last seen <Time at={session.last_seen_at} />, by {signInWords(session)}
              </>
            ),
            act: 'End',
            question: {
              title: 'End this session?',
              consequence: `The person is signed out there (${text}), and applications lose the tokens of the session.`,
              keep: 'Keep the session',
              act: 'End now',
              run: () => client.endSession({ session_id: session.id }),
            },
          }
        }}
      />
      {trusted.rows?.length === 0 ? null : (
        <ListPart
          title="Trusted browsers"
          none="None."
          list={trusted}
          ask={ask}
          row={(browser) => {
            const text = `${deviceOf(browser.user_agent)}, ${browser.ip ?? 'unknown address'}`
            return {
              id: browser.id,
              text,
              more: (
                <>
                  Last used <Time at={browser.last_used_at} />, asks no second factor until <Time at={browser.expires_at} />
                </>
              ),
              act: 'Remove',
              question: {
                title: 'Remove this trusted browser?',
                consequence: `The person is asked for the second factor there (${text}) again. Nobody is signed out.`,
                keep: 'Keep it',
                act: 'Remove now',
                run: () => client.removeTrustedBrowser({ ...about, trusted_browser_id: browser.id }),
              },
            }
          }}
        />
      )}
      <ListPart
        title="Connected applications"
        none="None."
        list={{ ...grants, rows: grants.rows?.filter(isFirstOfItsApplication) }}
        ask={ask}
        row={(grant) => ({
          id: grant.id,
          text: nameOfApp(grant.application_id),
          more: (
            <>
              {grant.last_used_at ? (
                <>
                  Last tokens <Time at={grant.last_used_at} />
                </>
              ) : (
                'No tokens yet'
              )}
              , gets {scopesWords(grant.scope)}
            </>
          ),
          act: 'Disconnect',
          question: {
            title: 'Disconnect the application?',
            consequence: `${nameOfApp(grant.application_id)} loses all its tokens for this person, on every device, and the consent.`,
            keep: 'Keep it connected',
            act: 'Disconnect now',
            run: () => client.disconnectGrant({ ...about, grant_id: grant.id }),
          },
        })}
      />
    </>
  )
}

/** An application has a grant for each sign-in with it. Disconnecting it ends all of them. */
const isFirstOfItsApplication = ({ application_id }: Grant, index: number, grants: readonly Grant[]) =>
  grants.findIndex((grant) => grant.application_id === application_id) === index

export const methodNames = {
  password: 'Password',
  passkey: 'Passkey',
  totp: 'Authenticator app',
  recovery_codes: 'Recovery codes',
  provider: 'Identity provider',
}

const methodName = ({ type, name, codes_left, algorithm }: SignInMethod) =>
  [
    methodNames[type],
    name ? `: ${name}` : '',
    codes_left === null ? '' : `, ${codes_left} left`,
    algorithm === null || algorithm === 'argon2id' ? '' : `, by ${algorithm} until the next sign-in`,
  ].join('')

export const Part = ({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) => (
  <section>
    <div className="part-head">
      <h3>{title}</h3>
      {action}
    </div>
    {children}
  </section>
)

interface Row {
  id: string
  text: string
  more: ReactNode
  act: string
  question: Question
}

interface ListPartProps<T> {
  title: string
  none: string
  list: List<T>
  action?: ReactNode
  row: (of: T) => Row
  ask: (question: Question) => void
}

function ListPart<T>({ title, none, list, action, row, ask }: ListPartProps<T>) {
  return (
    <Part title={title} action={action}>
      <Problem error={list.error} retry={() => list.refetch()} />
      {list.rows === undefined && !list.error ? <Skeleton rows={1} /> : null}
      {list.rows?.length === 0 ? <p className="muted">{none}</p> : null}
      <ul>
        {list.rows?.map(row).map(({ id, text, more, act, question }) => (
          <li className="list-row" key={id}>
            <div>
              {text}
              <div className="small muted">{more}</div>
            </div>
            <ChangeButton className="btn s" onClick={() => ask(question)}>
              {act}
              <span className="vh">: {text}</span>
            </ChangeButton>
          </li>
        ))}
      </ul>
      <ShowMore list={list} of={title} />
    </Part>
  )
}
