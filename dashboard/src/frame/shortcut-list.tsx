/** The list of the single keys, with the switch that turns them off. Few people open it, so it is a chunk of its own. */
import { Switch } from '@mantine/core'
import { Dialog } from '../parts/dialog.tsx'

interface ShortcutListProps {
  list: readonly (readonly [keys: readonly string[], does: string])[]
  is_off: boolean
  toggle: (is_off: boolean) => void
  opened: boolean
  close: () => void
}

export default function ShortcutList({ list, is_off, toggle, opened, close }: ShortcutListProps) {
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title="Keyboard shortcuts"
      lead="Ctrl K, on a Mac Cmd K, opens the search everywhere. It also finds this list."
      width={480}
      footer={
        <button type="button" className="btn" onClick={close}>
          Close
        </button>
      }
    >
      <dl className="keys">
        {list.map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd className="kbd" key={key}>
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Switch label="Single keys are on" checked={!is_off} onChange={(event) => toggle(!event.currentTarget.checked)} />
    </Dialog>
  )
}
