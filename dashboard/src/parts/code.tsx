/** Code to copy, in tabs. */
import { useState } from 'react'
import { CopyButton } from './copy.tsx'
import { Tabs } from './inner-tabs.tsx'

export interface Snippet {
  name: string
  code: string
}

export function CodeTabs({ label, snippets }: { label: string; snippets: readonly Snippet[] }) {
  const [name, setName] = useState(snippets[0]?.name)
  const chosen = snippets.find((snippet) => snippet.name === name) ?? snippets[0]
  if (!chosen) return null
  return (
    <div className="codebox">
      <Tabs
        label={label}
        tabs={snippets.map((snippet) => [snippet.name, snippet.name])}
        chosen={chosen.name}
        choose={setName}
        beside={
          <span className="r">
            <CopyButton look="quiet" value={chosen.code} label={`${label}: ${chosen.name}`} />
          </span>
        }
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls sideways needs the keyboard */}
        <pre tabIndex={0}>{chosen.code}</pre>
      </Tabs>
    </div>
  )
}
