/** The tokens of a run, claim by claim. */
import { type KeyboardEvent, useRef, useState } from 'react'
import { CopyButton } from '../../../parts/copy.tsx'
import { type Claims, claimsOf } from './oidc.ts'
import type { Run } from './run.ts'
import { noteOf, type TokenName } from './words.ts'

const tabs = [
  ['id', 'ID token'],
  ['access', 'Access token'],
  ['userinfo', 'UserInfo'],
  ['raw', 'Raw'],
] as const
type Tab = (typeof tabs)[number][0]

export function Decoded({ run }: { run: Run | null }) {
  const [tab, setTab] = useState<Tab>('id')
  const list = useRef<HTMLDivElement>(null)
  if (!run?.tokens) return null
  const { tokens, userinfo } = run
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    const [next] = tabs[(tabs.findIndex(([id]) => id === tab) + step + tabs.length) % tabs.length] ?? tabs[0]
    setTab(next)
    list.current?.querySelector<HTMLElement>(`#try-${next}`)?.focus()
  }
  return (
    <section className="card claims">
      <div className="subtabs">
        <div role="tablist" aria-label="Tokens" className="tablist" ref={list} onKeyDown={move}>
          {tabs.map(([id, name]) => (
            <button
              key={id}
              id={`try-${id}`}
              type="button"
              role="tab"
              aria-selected={id === tab}
              aria-controls="try-panel"
              tabIndex={id === tab ? 0 : -1}
              onClick={() => setTab(id)}
            >
              {name}
            </button>
          ))}
        </div>
      </div>
      <div role="tabpanel" id="try-panel" aria-labelledby={`try-${tab}`}>
        {tab === 'id' ? <ClaimList token="id" claims={tokens.id_token === undefined ? null : claimsOf(tokens.id_token)} /> : null}
        {tab === 'access' ? <ClaimList token="access" claims={claimsOf(tokens.access_token)} /> : null}
        {tab === 'userinfo' ? <ClaimList token="userinfo" claims={userinfo} /> : null}
        {tab === 'raw' ? <Raw tokens={{ ...tokens }} /> : null}
      </div>
    </section>
  )
}

const absent = {
  id: 'There is no ID token without the scope openid.',
  access: 'The access token is opaque: only the issuer can read it. UserInfo and the validation of tokens answer what it means.',
  userinfo: 'UserInfo was not read.',
}

/** The most important claims come first; the others keep their order. */
const first = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time']
const rank = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length)

function ClaimList({ token, claims }: { token: TokenName; claims: Claims | null }) {
  if (claims === null) return <p className="pad muted">{absent[token]}</p>
  const now = new Date()
  return (
    <dl>
      {Object.entries(claims)
        .sort(([a], [b]) => rank(a) - rank(b))
        .flatMap(([name, value]) => {
          const note = noteOf(token, name, value, now)
          return [
            <dt key={name}>{name}</dt>,
            <dd key={`${name} value`}>
              <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
              {note ? <span>{note}</span> : null}
            </dd>,
          ]
        })}
    </dl>
  )
}

const Raw = ({ tokens }: { tokens: Record<string, unknown> }) => (
  <dl>
    {Object.entries(tokens).flatMap(([name, value]) => [
      <dt key={name}>{name}</dt>,
      <dd key={`${name} value`}>
        <code>{String(value)}</code> {name.endsWith('_token') ? <CopyButton value={String(value)} label={name} /> : null}
      </dd>,
    ])}
  </dl>
)
