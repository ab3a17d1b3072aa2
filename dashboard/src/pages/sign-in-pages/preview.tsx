/** A hosted page with the unsaved settings, in a frame in which nothing works. */

import { useEffect, useState } from 'react'
import { Problem } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { settings } from '../../queries/settings.ts'
import { useEnvironment } from '../../scope.tsx'

const pages = [
  ['sign_in', 'Sign-in'],
  ['sign_up', 'Sign-up'],
] as const
const themes = [
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const
const widths = [
  ['phone', 'Phone'],
  ['wide', 'Wide'],
] as const

const typing_pause_ms = 300

export function Preview({ change, report }: { change: Record<string, unknown>; report: (error: unknown) => void }) {
  const here = useEnvironment()
  const { can } = here
  const [page, setPage] = useState<(typeof pages)[number][0]>('sign_in')
  const [theme, setTheme] = useState<(typeof themes)[number][0]>('light')
  const [width, setWidth] = useState<(typeof widths)[number][0]>('phone')
  const unsaved = useSettled(JSON.stringify(change))
  const preview = useRead(settings.preview(here, unsaved, { page, theme }), {
    enabled: can('developer'),
    keeps_previous: true,
    refetchOnWindowFocus: false,
  })
  const { error } = preview
  useEffect(() => {
    report(error)
  }, [error, report])
  if (!can('developer')) return <p className="muted">The preview needs the role developer.</p>
  return (
    <section className="card preview" aria-label="Preview">
      <header>
        <h2>Preview</h2>
        <div className="r">
          <Choices label="Page" of={pages} chosen={page} choose={setPage} />
          <Choices label="Theme" of={themes} chosen={theme} choose={setTheme} />
          <Choices label="Width" of={widths} chosen={width} choose={setWidth} />
        </div>
      </header>
      {error ? (
        <div className="pad">
          <Problem error={error} retry={() => void preview.refetch()} />
        </div>
      ) : null}
      <div className={`preview-frame ${width}${preview.isPlaceholderData ? ' dimmed' : ''}`} aria-busy={preview.isFetching}>
        {preview.data ? <iframe title="Preview of the page" sandbox="" src={preview.data.url} /> : null}
      </div>
    </section>
  )
}

interface ChoicesProps<T extends string> {
  label: string
  of: readonly (readonly [T, string])[]
  chosen: T
  choose: (value: T) => void
}

const Choices = <T extends string>({ label, of, chosen, choose }: ChoicesProps<T>) => (
  <fieldset className="seg">
    <legend className="vh">{label}</legend>
    {of.map(([value, name]) => (
      <button key={value} type="button" aria-pressed={value === chosen} onClick={() => choose(value)}>
        {name}
      </button>
    ))}
  </fieldset>
)

/** The text, once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typing_pause_ms)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
