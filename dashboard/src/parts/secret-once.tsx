/** A secret that is shown once. It is only in the state of the page: closing, Escape, reload and back ask first. */
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { CopyButton } from './copy.tsx'
import { Buttons, Dialog } from './dialog.tsx'
import { Note } from './note.tsx'

interface Named {
  /** The kind of the secret, such as "key" or "client secret". */
  what: string
  name: string
  tags?: ReactNode
  onClose: () => void
}

interface Shown extends Named {
  secret: string
  children?: ReactNode
}

/** The client repeats a call whose answer was lost, and the repeated answer has `null` for the secret. */
interface Lost extends Named {
  /** The consequence for users of the secret, and the remedy. */
  lost: ReactNode
  /** Leads to the rotation, which makes another secret, or to what `remedy` says. */
  rotate: () => void
  remedy?: string
}

type SecretOnceProps = Shown | (Omit<Shown, 'secret'> & Lost & { secret: string | null })

export function SecretOnce({ secret, ...props }: SecretOnceProps) {
  if (secret !== null) return <ShownSecret {...props} secret={secret} />
  return 'lost' in props ? <LostSecret {...props} /> : null
}

function LostSecret({ what, name, tags, lost, rotate, remedy = 'Rotate…', onClose }: Lost) {
  return (
    <Dialog
      alert
      onClose={onClose}
      width={540}
      title={`The ${what} did not arrive`}
      footer={<Buttons keep="Close" onClose={onClose} act={remedy} onAct={rotate} />}
    >
      <div className="lab">
        {name} {tags}
      </div>
      <Note tone="warn">
        The service did its work, but the answer was lost on the way. The {what} was only in that answer: nobody has it, and Ostiary cannot
        show it again. {lost}
      </Note>
    </Dialog>
  )
}

/** Whether the person has stored what is shown, without which closing asks. `is_many`: there are several of them. */
export function useStoring(what: string, onClose: () => void, is_many = false) {
  const [is_stored, setStored] = useState(false)
  const is_left = useRef(false) // set before anything that may leave the page, so that nothing asks twice
  const words = is_many ? ['are', 'them'] : ['is', 'it']
  const mayLeave = () =>
    is_stored || is_left.current || confirm(`The ${what} ${words[0]} never shown again. Close without having stored ${words[1]}?`)
  useBlocker({ shouldBlockFn: () => !mayLeave(), enableBeforeUnload: () => !is_stored && !is_left.current })
  const close = () => {
    if (!mayLeave()) return
    is_left.current = true
    onClose()
  }
  return { is_stored, setStored, close }
}

function ShownSecret({ what, name, secret, tags, children, onClose }: Shown) {
  const { is_stored, setStored, close } = useStoring(what, onClose)
  return (
    <Dialog
      alert
      onClose={close}
      width={642}
      title={`Copy the ${what} now`}
      lead="This is the only time it is shown. Ostiary cannot show it again."
      footer={
        <>
          <label className="tick">
            <input type="checkbox" checked={is_stored} onChange={(event) => setStored(event.target.checked)} /> I have stored this {what}
          </label>
          <button type="button" className="btn pri" disabled={!is_stored} onClick={close}>
            Done
          </button>
        </>
      }
    >
      <div>
        <div className="lab labelled">
          {name} {tags}
        </div>
        <div className="once">
          <code>{secret}</code>
          <CopyButton look={is_stored ? 'plain' : 'primary'} value={secret} label={`the ${what}`} />
        </div>
      </div>
      {children}
    </Dialog>
  )
}
