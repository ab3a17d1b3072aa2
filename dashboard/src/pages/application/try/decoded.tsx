/** The tokens of a run, claim by claim. */
import { useState } from 'react'
import { CopyButton } from '../../../parts/copy.tsx'
import { Tabs } from '../../../parts/inner-tabs.tsx'
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
  if (!run?.tokens) return null
  const { tokens, userinfo } = run
  return (
    <section className="card claims">
      <Tabs label="Tokens" tabs={tabs} chosen={tab} choose={setTab}>
        {tab === 'id' ? <ClaimList token="id" claims={tokens.id_token === undefined ? null : claimsOf(tokens.id_token)} /> : null}
        {tab === 'access' ? <ClaimList token="access" claims={claimsOf(tokens.access_token)} /> : null}
        {tab === 'userinfo' ? <ClaimList token="userinfo" claims={userinfo} /> : null}
        {tab === 'raw' ? <Raw tokens={{ ...tokens }} /> : null}
      </Tabs>
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
