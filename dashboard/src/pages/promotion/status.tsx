import { Tag } from '../../parts/tag.tsx'
import { statusOf } from './words.ts'

/** The status as a word and an icon. */
export function PromotionStatus({ of }: { of: Parameters<typeof statusOf>[0] }) {
  const { word, icon, tone } = statusOf(of)
  return (
    <Tag tone={tone} icon={icon}>
      {word}
    </Tag>
  )
}
