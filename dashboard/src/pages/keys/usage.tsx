/** Who used a key in the last 24 hours: from which addresses, on which routes. */

import type { ApiKey } from '@ostiary/sdk'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { Heads } from '../../parts/table.tsx'
import type { KeyReads } from '../../queries/keys.ts'

const DAY_MS = 86_400_000
const MOST_ROWS = 6

export function Usage({ chosen, of }: { chosen: ApiKey; of: ReturnType<KeyReads['usage']> }) {
  const usage = useRead(of, { refetchInterval: 10_000 })
  const was_used = chosen.last_used_at !== null && Date.now() - Date.parse(chosen.last_used_at) < DAY_MS
  return (
    <Loaded of={usage} rows={2}>
      {({ data }) => {
        const callers = new Map<string, { ip: string | null; route: string; count: number; refused: number }>()
        for (const { ip, route, count, refused } of data) {
          const caller = callers.get(`${ip} ${route}`) ?? { ip, route, count: 0, refused: 0 }
          callers.set(`${ip} ${route}`, { ...caller, count: caller.count + count, refused: caller.refused + refused })
        }
        const all = [...callers.values()].toSorted((a, b) => b.count - a.count)
        if (all.length === 0)
          return (
            <p className="small muted">
              {was_used ? 'Used just now. The counts follow within seconds.' : 'Nobody used it in the last 24 hours.'}
            </p>
          )
        return (
          <>
            <table className="small uses">
              <caption className="vh">Uses in the last 24 hours</caption>
              <Heads of={['Address', 'Route', '24 h']} />
              <tbody>
                {all.slice(0, MOST_ROWS).map(({ ip, route, count, refused }) => (
                  <tr key={`${ip} ${route}`}>
                    <td className="mono">{ip ?? 'unknown'}</td>
                    <td className="mono any">{route}</td>
                    <td>
                      {count.toLocaleString('en')}
                      {refused > 0 ? `, ${refused} refused` : ''}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {all.length > MOST_ROWS ? <p className="small muted">And {all.length - MOST_ROWS} more pairs of address and route.</p> : null}
          </>
        )
      }}
    </Loaded>
  )
}
