/** The words of a text about the present time, kept true while the page is open: one timer for all texts, and only a text that changed is drawn. */
import { useSyncExternalStore } from 'react'

const texts = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function everySecond(look: () => void): () => void {
  texts.add(look)
  timer ??= setInterval(() => {
    for (const each of texts) each()
  }, 1_000)
  return () => {
    texts.delete(look)
    if (texts.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Returns the text of now. The component is drawn when the text changes, and not each second. */
export const useTicking = (textAt: (now: Date) => string): string => useSyncExternalStore(everySecond, () => textAt(new Date()))
