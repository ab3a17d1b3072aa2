/** A secret that is shown once. It is only in the state of the page: closing, Escape, reload and back ask first. */
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { CopyButton } from './copy.tsx'
import { Dialog } from './dialog.tsx'

interface SecretOnceProps {
  /** What it is, such as "key" or "client secret". */
  what: string
  name: string
  secret: string
  tags?: ReactNode
  children?: ReactNode
  onClose: () => void
}

export function SecretOnce({ what, name, secret, tags, children, onClose }: SecretOnceProps) {
  const [is_stored, setStored] = useState(false)
  const is_left = useRef(false) // set before anything that may leave the page, so that nothing asks twice
  const mayLeave = () => is_stored || is_left.current || confirm(`The ${what} is never shown again. Close without having stored it?`)
  useBlocker({ shouldBlockFn: () => !mayLeave(), enableBeforeUnload: () => !is_stored && !is_left.current })
  const close = () => {
    if (!mayLeave()) return
    is_left.current = true
    onClose()
  }
  return (
    <Dialog
      opened
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
          <CopyButton look="primary" value={secret} label={`the ${what}`} />
        </div>
      </div>
      {children}
    </Dialog>
  )
}
