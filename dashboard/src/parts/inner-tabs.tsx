/** Tabs within a part of a page, which are not addresses: arrows move between them. */
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import { useChosenInView } from './in-view.ts'

interface TabsProps<T extends string> {
  label: string
  tabs: readonly (readonly [value: T, name: string])[]
  chosen: T
  choose: (value: T) => void
  /** Stands beside the tabs. */
  beside?: ReactNode
  /** The panel of the chosen tab. */
  children: ReactNode
}

export function Tabs<T extends string>({ label, tabs, chosen, choose, beside, children }: TabsProps<T>) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  useChosenInView(list, chosen)
  const at = tabs.findIndex(([value]) => value === chosen)
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    const next = (at + step + tabs.length) % tabs.length
    choose(tabs[next]?.[0] ?? chosen)
    list.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <>
      <div className="subtabs">
        <div role="tablist" aria-label={label} className="tablist" ref={list} onKeyDown={move}>
          {tabs.map(([value, name], index) => (
            <button
              key={value}
              id={`${id}${index}`}
              type="button"
              role="tab"
              aria-selected={index === at}
              aria-controls={`${id}panel`}
              tabIndex={index === at ? 0 : -1}
              onClick={() => choose(value)}
            >
              {name}
            </button>
          ))}
        </div>
        {beside}
      </div>
      <div role="tabpanel" id={`${id}panel`} aria-labelledby={`${id}${at}`}>
        {children}
      </div>
    </>
  )
}
