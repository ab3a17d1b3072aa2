import { Tag } from '../../parts/tag.tsx'

export const OrganizationStatus = ({ of: { disabled } }: { of: { disabled: boolean } }) =>
  disabled ? (
    <Tag tone="warn" icon="cross">
      Disabled
    </Tag>
  ) : (
    <Tag tone="ok">Enabled</Tag>
  )
