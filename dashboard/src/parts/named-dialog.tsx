/** Creating what has a name and a slug: a project, or a tenant. */
import { useState } from 'react'
import type { Key } from '../queries/query.ts'
import { useAction } from './action.ts'
import { NameField, SlugField, slugFrom } from './fields.tsx'
import { FormDialog } from './form-dialog.tsx'

interface NamedDialogProps {
  title: string
  lead: string
  submit: string
  create: (named: { name: string; slug: string }) => Promise<{ slug: string }>
  changes: readonly Key[]
  done: (slug: string) => void
  close: () => void
}

export function NamedDialog({ create, changes, done, close, ...words }: NamedDialogProps) {
  const [name, setName] = useState('')
  const [slug, setSlug] = useState<string | null>(null)
  const action = useAction(create, { changes, done: ({ slug }) => done(slug) })
  const entered = { name, slug: slug ?? slugFrom(name) }
  return (
    <FormDialog {...words} action={action} onSubmit={() => action.run(entered)} onClose={close}>
      <NameField value={name} change={setName} error={action.error} />
      <SlugField value={entered.slug} change={setSlug} error={action.error} />
    </FormDialog>
  )
}
