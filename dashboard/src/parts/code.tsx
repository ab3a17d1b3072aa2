/** Code to copy, in tabs. */
import { type KeyboardEvent, useRef, useState } from 'react'
import { CopyButton } from './copy.tsx'

export interface Snippet {
  name: string
  code: string
}

export function CodeTabs({ label, snippets }: { label: string; snippets: readonly Snippet[] }) {
  const [name, setName] = useState(snippets[0]?.name)
  const tabs = useRef<HTMLDivElement>(null)
  const chosen = snippets.find((snippet) => snippet.name === name) ?? snippets[0]
  if (!chosen) return null
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    const next = snippets[(snippets.indexOf(chosen) + step + snippets.length) % snippets.length]
    setName(next?.name)
    tabs.current?.querySelector<HTMLElement>(`[data-name="${CSS.escape(next?.name ?? '')}"]`)?.focus()
  }
  return (
    <div className="codebox">
      <div className="subtabs">
        <div role="tablist" aria-label={label} className="tablist" ref={tabs} onKeyDown={move}>
          {snippets.map((snippet) => (
            <button
              key={snippet.name}
              type="button"
              role="tab"
              data-name={snippet.name}
              aria-selected={snippet === chosen}
              tabIndex={snippet === chosen ? 0 : -1}
              onClick={() => setName(snippet.name)}
            >
              {snippet.name}
            </button>
          ))}
        </div>
        <span className="r">
          <CopyButton look="quiet" value={chosen.code} label={`${label}: ${chosen.name}`} />
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls sideways needs the keyboard */}
      <pre tabIndex={0}>{chosen.code}</pre>
    </div>
  )
}
