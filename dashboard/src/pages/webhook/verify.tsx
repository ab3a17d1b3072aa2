/** Code that verifies the signatures of a webhook, and how they are made. */
import type { Webhook } from '@ostiary/sdk'
import { CodeTabs } from '../../parts/code.tsx'
import { Time } from '../../parts/time.tsx'
import { verifySnippets } from './verify-code.ts'

export function Verify({ webhook }: { webhook: Webhook }) {
  const until = webhook.previous_secret_until
  return (
    <div className="stack">
      {until && Date.parse(until) > Date.now() ? (
        <div className="note acc">
          Each call carries the signatures of the old and of the new secret, and one of them is enough. The old one stops{' '}
          <Time at={until} />.
        </div>
      ) : null}
      <CodeTabs label="Verify signatures" snippets={verifySnippets} />
      <section className="card pad">
        <h2>What is signed</h2>
        <ul className="bullets">
          <li>
            Webhooks follow Standard Webhooks, so its libraries work too. <code>webhook-signature</code> has one or, for 24 hours after a
            rotation, more values, separated by spaces.
          </li>
          <li>
            Each is <code>v1,</code> and the base64 of HMAC-SHA-256 over <code>webhook-id.webhook-timestamp.body</code>. The key is the
            base64 after <code>whsec_</code>, decoded.
          </li>
          <li>Take the body as it came, before a parser changes it.</li>
          <li>Refuse a timestamp that is more than five minutes off.</li>
          <li>
            A message can come more than once. Remember the <code>webhook-id</code> that you have handled.
          </li>
          <li>Answer with 2xx within 15 s, and work afterwards.</li>
        </ul>
      </section>
    </div>
  )
}
