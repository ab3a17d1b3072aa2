/**
 * Buttons that copy a value. The label names the value, because a page has many of them. A browser can refuse, and has no clipboard on a
 * page without TLS: then the person selects the value.
 */
import { type ReactNode, useEffect, useState } from 'react'
import { useAnnounce } from './announce.tsx'
import { Icon } from './icon.tsx'

export function CopyButton({
  value,
  label,
  look = 'icon',
  text,
}: {
  value: string
  label: string
  look?: 'icon' | 'quiet' | 'plain' | 'primary'
  text?: string
}) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | null>(null)
  const announce = useAnnounce()
  useEffect(() => {
    if (outcome === null) return
    const timer = setTimeout(() => setOutcome(null), outcome === 'copied' ? 2_000 : 10_000)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      setOutcome('copied')
      announce(`Copied: ${label}`)
    } catch {
      setOutcome('refused')
      announce(`Not copied: ${label}. Select and copy it.`)
    }
  }
  const classes = { icon: 'btn quiet icon', quiet: 'btn quiet s', plain: 'btn', primary: 'btn pri' }[look]
  const name = outcome === 'copied' ? `Copied: ${label}` : text ? `${text}: ${label}` : `Copy ${label}`
  const words = outcome === 'copied' ? 'Copied' : (text ?? 'Copy')
  return (
    <>
      <button type="button" className={classes} aria-label={name} onClick={copy}>
        <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
        {look === 'icon' ? null : words}
      </button>
      {outcome === 'refused' ? <span className="small">Select and copy it.</span> : null}
    </>
  )
}

/** A value with its copy button, and what is said about it between them. */
export const Copied = ({ value, label, tag }: { value: string; label: string; tag?: ReactNode }) => (
  <>
    <code>{value}</code> {tag} <CopyButton value={value} label={label} />
  </>
)
