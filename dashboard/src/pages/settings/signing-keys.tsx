/** The signing keys of the environment: the next one, who has read it, and letting it sign before its time. */
import type { SigningKey } from '@ostiary/sdk'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { ConfirmCall } from '../../parts/confirm.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { useList } from '../../parts/reading.tsx'
import { type Column, Records, timeColumn } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { settings } from '../../queries/settings.ts'
import { useEnvironment } from '../../scope.tsx'

const states = {
  next: <Tag tone="acc">Next</Tag>,
  current: <Tag tone="ok">Signs</Tag>,
  retired: <Tag>Verifies older tokens</Tag>,
}

type Reader = SigningKey['readers'][number]

export function SigningKeys() {
  const here = useEnvironment()
  const { client, at, environment } = here
  const keys = useList(settings.signingKeys(here))
  const [asked, setAsked] = useState<'rotate' | SigningKey | null>(null)
  const next = keys.rows?.filter(({ state }) => state === 'next') ?? []
  const question = {
    changes: [settings.signingKeys(here).queryKey],
    typed: environment.type === 'live' ? environment.slug : undefined,
    onClose: () => setAsked(null),
  }
  return (
    <Card title="Signing keys">
      <p className="muted">They rotate by themselves after 90 days. A new key is published ten minutes before it signs.</p>
      <Records label="Signing keys" list={keys} columns={columns} empty={<p className="muted">No key yet.</p>} />
      {next.map((key) => (
        <Readers key={key.kid} of={key} use={() => setAsked(key)} />
      ))}
      {next.length === 0 ? (
        <div className="acts">
          <ChangeButton onClick={() => setAsked('rotate')}>Rotate the signing key</ChangeButton>
        </div>
      ) : null}
      {asked === 'rotate' ? (
        <ConfirmCall
          title="Rotate the signing key?"
          consequence="The next key is published now and signs in ten minutes. Programs that read the published keys notice nothing."
          keep="Keep the key"
          act="Rotate"
          call={() => client.rotateSigningKey(at)}
          {...question}
        />
      ) : asked ? (
        <ConfirmCall
          title="Sign with the next key now?"
          consequence={consequenceOf(asked.readers)}
          keep="Wait"
          act="Sign with it now"
          call={() => client.rotateSigningKey({ ...at, alg: asked.alg, now: 'true' })}
          {...question}
        />
      ) : null}
    </Card>
  )
}

const countWithout = (readers: readonly Reader[]) => readers.filter(({ has_next }) => !has_next).length

function consequenceOf(readers: readonly Reader[]): string {
  const missing = countWithout(readers)
  if (readers.length === 0)
    return 'Nobody read the published keys in the last 24 hours. A program that kept a copy refuses the next tokens until it reads again.'
  if (missing === 0) return `All ${readers.length} sources that read the published keys in the last 24 hours have read this one.`
  return `${missing} of ${readers.length} sources that read the published keys in the last 24 hours ${missing === 1 ? 'has' : 'have'} not read this one. They refuse the next tokens until they read again.`
}

function Readers({ of, use }: { of: SigningKey; use: () => void }) {
  const missing = countWithout(of.readers)
  return (
    <div className="stack">
      <p className="hint">
        {missing === 0
          ? 'No source of the last 24 hours lacks the next key'
          : `${missing} of ${of.readers.length} sources have not read the next key`}{' '}
        ({of.alg}).
      </p>
      {of.readers.length > 0 ? (
        <ul className="small" aria-label={`Who read the keys (${of.alg})`}>
          {of.readers.map(({ source, has_next }) => (
            <li key={source}>
              <code>{source}</code> {has_next ? 'has it' : 'has not read it'}
            </li>
          ))}
        </ul>
      ) : null}
      <div className="acts">
        <ChangeButton onClick={use}>Sign with it now…</ChangeButton>
      </div>
    </div>
  )
}

const columns: Column<SigningKey>[] = [
  { head: 'Key', cell: ({ kid }) => <code>{kid}</code> },
  { head: 'State', cell: ({ state }) => states[state] },
  { head: 'Algorithm', cell: ({ alg }) => alg },
  timeColumn('Signs from', ({ signs_from }) => signs_from),
]
