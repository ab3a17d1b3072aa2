/** Templates of products that others wrote: the list, one of them, and the setup of an application that was created by one. */
import { fillSetup, type SetupValues, unmetNeeds } from '@ostiary/contract/template-setup.ts'
import { type ApplicationTemplate, createClient, OstiaryError } from '@ostiary/sdk'
import { z } from 'zod'
import type { Written } from '../arguments.ts'
import { type Connection, connect } from './connection.ts'
import { rowOf } from './derive.ts'
import { optionOf } from './fields.ts'
import type { Io } from './io.ts'
import { nearWords } from './near.ts'
import { Refused, Unreachable } from './refused.ts'
import { textOf } from './run-command.ts'
import { jsonLine, listText, objectText, visible } from './show.ts'
import { unreachable } from './unreachable.ts'

export async function listTemplates(io: Io, written: Written): Promise<number> {
  const { data } = await asked(io, connect(io, textOf(written, 'profile')), (client) => client.listApplicationTemplates())
  io.out(
    written.values.has('json')
      ? jsonLine({ data })
      : listText(
          data.map(({ slug, name, redirect_uris, tried }) => ({ slug, name, url: redirect_uris[0] ?? '', status: triedWords(tried) })),
        ),
  )
  return 0
}

export async function getTemplate(io: Io, written: Written): Promise<number> {
  const template = await templateNamed(io, connect(io, textOf(written, 'profile')), written.words[0] ?? '')
  if (written.values.has('json')) {
    io.out(jsonLine(template))
    return 0
  }
  const { setup, notes, ...fields } = template
  io.out(objectText(fields))
  io.out(setupText(setup.map(({ title, text }) => ({ title, text }))))
  io.out(notesText(notes))
  return 0
}

const Created = z.object({
  template: z.string().nullable(),
  tenant_id: z.string(),
  project_id: z.string(),
  environment_id: z.string(),
  client_id: z.string(),
  client_secret: z.string().nullable().optional(),
})
const Environment = z.object({ issuer: z.string() })
const ClaimSource = z.enum(['none', 'email'])
const ClaimSettings = z.object({
  claims: z.object({ preferred_username: ClaimSource, name: ClaimSource }),
  sign_up: z.object({ name: z.string() }),
})

/** Prints the configuration of the product, with the values of its application. */
export async function printSetup(io: Io, connection: Connection, application: unknown, url: unknown): Promise<void> {
  const created = Created.safeParse(application)
  if (!created.success || created.data.template === null || typeof url !== 'string') return
  const { template: slug, tenant_id, project_id, environment_id, client_id, client_secret = null } = created.data
  try {
    const template = await templateNamed(io, connection, slug)
    const request = { params: { project_id, environment_id }, ...(connection.kind === 'administrator' ? { tenant_id } : {}) }
    const { issuer } = Environment.parse((await connection.call(rowOf('getEnvironment'), request)).data)
    const values: SetupValues = { issuer, client_id, client_secret, url }
    io.out(setupText(template.setup.map((step) => ({ title: step.title, text: fillSetup(step, values) }))))
    io.out(notesText(template.notes))
    if (template.needs.length === 0) return
    const settings = ClaimSettings.parse((await connection.call(rowOf('getSettings'), request)).data)
    for (const { sentence, claim } of unmetNeeds(template.needs, settings))
      io.err(`${sentence}\n${claim === null ? '' : settingCommand(claim, { project_id, environment_id })}`)
  } catch (error) {
    // The application exists, and its secret is printed: what is missing can be read again.
    if (!(error instanceof OstiaryError || error instanceof Refused)) throw error
    io.err(`The setup is not complete: ${visible(error.message)}\nostiary application-templates get ${visible(slug)} shows it.\n`)
  }
}

/** Puts the verified address in the place of a claim. */
const settingCommand = (claim: 'preferred_username' | 'name', at: { project_id: string; environment_id: string }) =>
  `  ostiary settings update --project ${at.project_id} --env ${at.environment_id} --${optionOf(['claims', claim])} email\n`

const setupText = (steps: readonly { title: string; text: string }[]) =>
  steps.map(({ title, text }) => `\n# ${visible(title)}\n${text.split('\n').map(visible).join('\n')}\n`).join('')

const notesText = (notes: readonly string[]) => (notes.length === 0 ? '' : `\n${notes.map((note) => `- ${visible(note)}\n`).join('')}`)

const triedWords = (tried: ApplicationTemplate['tried']) => (tried === null ? 'from its documentation' : `tried with ${tried.version}`)

const templateNamed = (io: Io, connection: Connection, slug: string) =>
  asked(io, connection, async (client) => {
    try {
      return await client.getApplicationTemplate({ template: slug })
    } catch (error) {
      if (!(error instanceof OstiaryError) || error.code !== 'not_found') throw error
      const slugs = (await client.listApplicationTemplates()).data.map((template) => template.slug)
      const near = nearWords(slug, slugs)
      throw new Refused(`There is no template ${JSON.stringify(visible(slug))}.${near} "ostiary application-templates list" lists them.`)
    }
  })

/** The templates need no credential. */
async function asked<T>(io: Io, { base_url }: Connection, ask: (client: ReturnType<typeof createClient>) => Promise<T>): Promise<T> {
  try {
    return await ask(createClient({ base_url, headers: { 'user-agent': 'ostiary-cli' } }))
  } catch (error) {
    io.signal.throwIfAborted()
    if (error instanceof OstiaryError && error.status === 0) throw new Unreachable(unreachable(base_url, error))
    throw error
  }
}
