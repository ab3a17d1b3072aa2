import type { Promotion } from '@ostiary/sdk'
import { Icon } from '../../parts/icon.tsx'
import { Tag } from '../../parts/tag.tsx'
import { useProject } from '../../scope.tsx'

/** An environment by its name. One that is gone has its id. */
function Named({ id }: { id: string }) {
  const { environments } = useProject()
  const environment = environments.find((each) => each.id === id)
  if (!environment) return <code>{id}</code>
  return <Tag tone={environment.type}>{environment.name}</Tag>
}

/** Where the configuration comes from, and where it goes. */
export const FromTo = ({ of }: { of: Pick<Promotion, 'from_environment_id' | 'to_environment_id'> }) => (
  <span className="from-to">
    {of.from_environment_id === null ? <Tag icon="page">A file</Tag> : <Named id={of.from_environment_id} />}
    <Icon name="right" size={14} />
    <span className="vh">to</span>
    <Named id={of.to_environment_id} />
  </span>
)
