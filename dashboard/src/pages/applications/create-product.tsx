/** Creating the application of a product that others wrote: the product, its address, and then the lines for its configuration. */
import { NativeSelect, TextInput } from '@mantine/core'
import type { ApplicationTemplate, ApplicationWithSecret } from '@ostiary/sdk'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { calendarDay } from '../../parts/clock.ts'
import { entered, NameField } from '../../parts/fields.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { fieldError, Problem } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { applications } from '../../queries/applications.ts'
import { readiness } from '../../queries/environment.ts'
import { templates } from '../../queries/templates.ts'
import { toApplication, useEnvironment } from '../../scope.tsx'
import { ProductDialog } from './product-dialog.tsx'

export function CreateFromTemplate({ origin, close }: { origin: ReactNode; close: () => void }) {
  const here = useEnvironment()
  const { client, at } = here
  const navigate = useNavigate()
  const read = useRead(templates.all(here))
  const [words, setWords] = useState('')
  const [slug, setSlug] = useState('')
  const [url, setUrl] = useState('')
  const [name, setName] = useState<string | null>(null)
  const [created, setCreated] = useState<{ application: ApplicationWithSecret; template: ApplicationTemplate; url: string } | null>(null)

  const all = (read.data?.data ?? []).toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
  const found = all.filter((template) => matches(template, words))
  const template = found.find((each) => each.slug === slug) ?? (words === '' ? undefined : found[0])
  const show = ({ id }: ApplicationWithSecret, tab?: string) => void navigate(toApplication(id, { tab }))
  const action = useAction(
    (chosen: { template: ApplicationTemplate; url: string; name: string }) =>
      client.createApplication(at, { template: chosen.template.slug, url: chosen.url, name: chosen.name }),
    {
      changes: [applications.all({ at }), readiness.all({ at })],
      secret: template?.token_endpoint_auth_method !== 'none',
      done: (application, chosen) => setCreated({ application, template: chosen.template, url: chosen.url }),
    },
  )
  if (created)
    return <ProductDialog {...created} rotate={() => show(created.application, 'credentials')} onClose={() => show(created.application)} />
  const submit = () => {
    if (template) action.run({ template, url: withoutSlash(url), name: name ?? template.name })
  }
  return (
    <FormDialog title="New application" submit="Create application" action={action} disabled={!template} onSubmit={submit} onClose={close}>
      {origin}
      <Problem error={read.error} retry={() => void read.refetch()} />
      <TextInput label="Search products" placeholder="Grafana" spellCheck={false} {...entered(words, setWords)} />
      <NativeSelect
        label="Product"
        description={template ? triedWords(template) : `${found.length} products`}
        required
        data={[
          ...(template
            ? []
            : [{ value: '', label: read.isPending ? 'Loading…' : found.length === 0 ? 'No product has these words' : 'Choose' }]),
          ...found.map((each) => ({ value: each.slug, label: each.name })),
        ]}
        value={template?.slug ?? ''}
        onChange={(event) => {
          setSlug(event.currentTarget.value)
          setName(null)
        }}
        error={fieldError(action.error, '/template')}
      />
      <TextInput
        label="Address of the product"
        description={
          template
            ? `Sign-in returns to ${template.redirect_uris.map((uri) => uri.replace('{url}', withoutSlash(url) || '…')).join(', ')}`
            : 'As people open it in the browser, with its path if it has one.'
        }
        placeholder="https://grafana.example.com"
        required
        spellCheck={false}
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        error={fieldError(action.error, '/url') ?? fieldError(action.error, '/redirect_uris')}
      />
      <NameField value={name ?? template?.name ?? ''} change={setName} error={action.error} />
    </FormDialog>
  )
}

/** Removes the last slash, which pasted addresses often have. The service refuses it, since the path begins with one. */
const withoutSlash = (url: string) => url.trim().replace(/\/+$/, '')

function matches({ name, slug }: ApplicationTemplate, words: string): boolean {
  const text = `${name} ${slug}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

const triedWords = ({ tried, documented_at }: ApplicationTemplate) =>
  tried
    ? `Tried with version ${tried.version} on ${calendarDay(tried.at)}.`
    : `From its documentation of ${calendarDay(documented_at)}; nobody has tried it yet.`
