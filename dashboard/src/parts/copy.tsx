/** Buttons that copy a value. The label names the value, because a page has many of them. */
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
  look?: 'icon' | 'quiet' | 'primary'
  text?: string
}) {
  const [is_copied, setCopied] = useState(false)
  const announce = useAnnounce()
  useEffect(() => {
    if (!is_copied) return
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [is_copied])
  const copy = async () => {
    await navigator.clipboard.writeText(value)
    setCopied(true)
    announce(`Copied: ${label}`)
  }
  const classes = { icon: 'btn quiet icon', quiet: 'btn quiet s', primary: 'btn pri' }[look]
  return (
    <button type="button" className={classes} aria-label={text ? `${text}: ${label}` : `Copy ${label}`} onClick={copy}>
      <Icon name={is_copied ? 'check' : 'copy'} />
      {look === 'icon' ? null : is_copied ? 'Copied' : (text ?? 'Copy')}
    </button>
  )
}

/** A value with its copy button, and what is said about it between them. */
export const Copied = ({ value, label, tag }: { value: string; label: string; tag?: ReactNode }) => (
  <>
    <code>{value}</code> {tag} <CopyButton value={value} label={label} />
  </>
)
