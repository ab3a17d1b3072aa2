/** Calls the API of the demo with the access token of a run: one role may delete, the other may not. */
import { useState } from 'react'
import { Card } from '../../../parts/card.tsx'
import { Code } from '../../../parts/code.tsx'
import { Tag } from '../../../parts/tag.tsx'
import { demo_people, ordersApi } from './demo.ts'
import { claimsOf, type Tokens } from './oidc.ts'

interface Answer {
  status: number
  body: string
}

async function call(token: string, method: 'GET' | 'DELETE'): Promise<Answer> {
  const path = method === 'GET' ? '' : '/2'
  const answer = await fetch(`${ordersApi()}${path}`, { method, headers: { authorization: `Bearer ${token}` }, credentials: 'omit' })
  return { status: answer.status, body: await answer.text() }
}

const isForDemo = (token: string) => [claimsOf(token)?.aud].flat().includes(ordersApi())

interface DemoApiProps {
  tokens: Tokens | null
  /** Begins a run in which this person signs in. */
  signInAs: (email: string) => void
}

export function DemoApi({ tokens, signInAs }: DemoApiProps) {
  if (tokens === null || !isForDemo(tokens.access_token)) return null
  return <Calls key={tokens.access_token} token={tokens.access_token} signInAs={signInAs} />
}

function Calls({ token, signInAs }: { token: string; signInAs: (email: string) => void }) {
  const [shown, setShown] = useState<{ words: string; answer: Answer } | null>(null)
  const press = (words: string, method: 'GET' | 'DELETE') =>
    void call(token, method).then(
      (answer) => setShown({ words, answer }),
      () => setShown({ words, answer: { status: 0, body: '' } }),
    )
  const { administrator, viewer } = demo_people
  return (
    <Card title="An API that takes this token">
      <div className="pad form">
        <p className="muted">
          It asks the service at each call what the token gives. The role Administrator gives <code>orders:delete</code>, the role Viewer
          does not.
        </p>
        <div className="rs">
          <button type="button" className="btn" onClick={() => press('GET /demo/orders', 'GET')}>
            Read the orders
          </button>
          <button type="button" className="btn" onClick={() => press('DELETE /demo/orders/2', 'DELETE')}>
            Delete an order
          </button>
        </div>
        <output>{shown ? <Answered {...shown} /> : null}</output>
        <p className="small muted">Both people of the demo have the same password. Run it as the other one, and delete again:</p>
        <div className="rs">
          <button type="button" className="btn s" onClick={() => signInAs(administrator)}>
            Sign in as {administrator}
          </button>
          <button type="button" className="btn s" onClick={() => signInAs(viewer)}>
            Sign in as {viewer}
          </button>
        </div>
      </div>
    </Card>
  )
}

function Answered({ words, answer: { status, body } }: { words: string; answer: Answer }) {
  const outcome = outcomes[status] ?? (status === 0 ? 'No answer' : 'Refused')
  return (
    <div className="form">
      <p>
        <code>{words}</code> <Tag tone={status === 200 ? 'ok' : 'bad'}>{status === 0 ? outcome : `${status} ${outcome}`}</Tag>
      </p>
      {body === '' ? null : (
        <div className="box">
          <Code code={indented(body)} language="json" />
        </div>
      )}
    </div>
  )
}

const outcomes: Record<number, string> = { 200: 'Done', 401: 'The token is no longer valid', 403: 'The role does not give it' }

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
