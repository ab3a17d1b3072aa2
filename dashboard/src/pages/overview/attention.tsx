/** What needs a look: failing or disabled webhooks, and keys that nobody uses. */
import { Link, linkOptions, type ToOptions } from '@tanstack/react-router'
import { Icon } from '../../parts/icon.tsx'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { inWords } from '../../parts/time.tsx'
import { useEnvironment } from '../../scope.tsx'

const MONTH_MS = 30 * 86_400_000

interface Matter {
  id: string
  tone: 'bad' | 'warn'
  title: string
  detail: string
  link: ToOptions
  act: string
}

export function Attention() {
  const { client, at, environment, base } = useEnvironment()
  const found = useRead(['attention', environment.id], async (signal): Promise<Matter[]> => {
    const [webhooks, keys] = await Promise.all([
      client.listWebhooks({ ...at, limit: 100 }, { signal }).page(),
      client.listAuthKeys({ ...at, limit: 100 }, { signal }).page(),
    ])
    const now = new Date()
    const failing = webhooks.data.filter((webhook) => webhook.failing_since !== null || webhook.disabled_reason !== null)
    const quiet = keys.data.filter(
      (key) => key.revoked_at === null && now.getTime() - Date.parse(key.last_used_at ?? key.created_at) > MONTH_MS,
    )
    return [
      ...failing.map((webhook) => ({
        id: webhook.id,
        tone: 'bad' as const,
        title: webhook.disabled ? 'A webhook is switched off' : 'A webhook is failing',
        detail: `${webhook.url}${webhook.failing_since ? `: no delivery since ${inWords(webhook.failing_since, now)}.` : '.'}`,
        link: linkOptions({ from: base, to: `${base}/webhooks/$webhook_id`, params: { webhook_id: webhook.id } }),
        act: 'Open deliveries',
      })),
      ...quiet.slice(0, 3).map((key) => ({
        id: key.id,
        tone: 'warn' as const,
        title: 'A key nobody uses',
        detail: `“${key.label ?? key.start}” ${key.last_used_at ? `was last used ${inWords(key.last_used_at, now)}` : 'was never used'}.`,
        link: linkOptions({ from: base, to: `${base}/api-keys` }),
        act: 'Review key',
      })),
    ]
  })
  return (
    <Loaded of={found} rows={2}>
      {(matters) => (
        <section className="card">
          <header>
            <h2>Needs a look</h2>
          </header>
          {matters.length === 0 ? <p className="pad muted">Nothing. Failing webhooks and unused keys appear here.</p> : null}
          {matters.map((matter) => (
            <div className="att" key={matter.id}>
              <span className={`tone-${matter.tone}`}>
                <Icon name={matter.tone === 'bad' ? 'warn' : 'clock'} size={16} />
              </span>
              <b>{matter.title}</b>
              <p className="any">{matter.detail}</p>
              <Link {...matter.link}>{matter.act}</Link>
            </div>
          ))}
        </section>
      )}
    </Loaded>
  )
}
