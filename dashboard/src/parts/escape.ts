/** Escape closes one dialog, drawer or palette at a time: the one that opened last, which is on top. */
import { useEffect, useEffectEvent } from 'react'

const open: symbol[] = []

/** `close` is null while Escape does nothing, which also protects the dialogs below. */
export function useEscape(opened: boolean, close: (() => void) | null) {
  const onEscape = useEffectEvent(() => close?.())
  useEffect(() => {
    if (!opened) return
    const self = Symbol('dialog')
    open.push(self)
    const listen = (event: KeyboardEvent) => {
      // After a press that closed a dialog, the one below is on top, and its listener is still to come.
      if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented || open.at(-1) !== self) return
      event.preventDefault()
      onEscape()
    }
    addEventListener('keydown', listen)
    return () => {
      removeEventListener('keydown', listen)
      open.splice(open.indexOf(self), 1)
    }
  }, [opened])
}
