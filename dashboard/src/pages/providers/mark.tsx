/** The mark of a provider. It is decorative: its name is beside it. */
import type { Provider } from '@ostiary/sdk'
import { marks } from '../../generated/provider-kinds.ts'
import { Icon } from '../../parts/icon.tsx'

export function ProviderMark({ type, size = 18 }: { type: Provider['type']; size?: number }) {
  const mark = marks[type]
  if (!mark) return <Icon name="building" size={size} />
  return (
    <svg className="i" width={size} height={size} viewBox={`0 0 ${mark.size} ${mark.size}`} aria-hidden="true">
      {mark.paths.map(({ fill, d }) => (
        <path key={d} fill={fill} d={d} />
      ))}
    </svg>
  )
}
