/** Keeps the chosen one of a row that scrolls sideways in view, as when a page opens at a tab that a phone has no room for. */
import { type RefObject, useEffect } from 'react'

export function useChosenInView(row: RefObject<HTMLElement | null>, chosen: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is chosen
  useEffect(() => {
    row.current?.querySelector('[aria-current=page], [aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [row, chosen])
}
