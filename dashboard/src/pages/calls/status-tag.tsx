import { Tag } from '../../parts/tag.tsx'
import { statusWords } from './status.ts'

export const StatusTag = ({ of: { status } }: { of: { status: number } }) => (
  <Tag tone={status >= 500 ? 'bad' : 'warn'} icon={null}>
    {statusWords(status)}
  </Tag>
)
