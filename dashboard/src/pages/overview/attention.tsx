/** Lists the objects that need attention: failing or disabled webhooks, and keys that nobody uses. */

import { Link, type ToOptions } from '@tanstack/react-router'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { inWords } from '../../parts/time.tsx'
import { attention } from '../../queries/environment.ts'
import { toPage, toWebhook, useEnvironment } from '../../scope.tsx'

interface Matter {
  id: string
  tone: 'bad' | 'warn'
  title: string
  detail: string
  link: ToOptions
  act: string
}

export function Attention() {
  const here = useEnvironment()
  const found = useRead(attention(here))
  const mattersOf = ({ failing, quiet, now }: NonNullable<typeof found.data>): Matter[] => [
    ...failing.map((webhook) => ({
      id: webhook.id,
      tone: 'bad' as const,
      title: webhook.disabled ? 'A webhook is switched off' : 'A webhook is failing',
      detail: `${webhook.url}${webhook.failing_since ? `: no delivery since ${inWords(webhook.failing_since, now)}.` : '.'}`,
      link: toWebhook(webhook.id),
      act: 'Open deliveries',
    })),
    ...quiet.slice(0, 3).map((key) => ({
      id: key.id,
      tone: 'warn' as const,
      title: 'A key nobody uses',
      detail: `“${key.label ?? key.start}” ${key.last_used_at ? `was last used ${inWords(key.last_used_at, now)}` : 'was never used'}.`,
      link: toPage('/api-keys'),
      act: 'Review key',
    })),
  ]
  return (
    <Loaded of={found} rows={2}>
      {(data) => (
        <Card title="Needs a look">
          {mattersOf(data).length === 0 ? <p className="pad muted">Nothing. Failing webhooks and unused keys appear here.</p> : null}
          {mattersOf(data).map((matter) => (
            <div className="att" key={matter.id}>
              <span className={`tone-${matter.tone}`}>
                <Icon name={matter.tone === 'bad' ? 'warn' : 'clock'} size={16} />
              </span>
              <b>{matter.title}</b>
              <p className="any">{matter.detail}</p>
              <Link {...matter.link}>{matter.act}</Link>
            </div>
          ))}
        </Card>
      )}
    </Loaded>
  )
}
