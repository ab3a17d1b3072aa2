/** The templates of applications as a document: a table of all products, and a section for each. */
import { z } from 'zod'
import type { ApplicationTemplate } from './application-template.ts'
import { templates } from './application-templates/index.ts'
import { Slug } from './values.ts'

/** The results of the runner (`npm run applications`); `null` for a step that the product does not have. */
export const Trials = z.array(
  z.strictObject({
    slug: Slug,
    version: z.string().max(50),
    at: z.iso.date(),
    refresh: z.boolean().nullable(),
    sign_out: z.boolean().nullable(),
    back_channel: z.boolean().nullable(),
    /** Whether both people also sign in with the defaults of a new application; null if nobody has tried. */
    without_template: z.boolean().nullable(),
  }),
)
export type Trials = z.infer<typeof Trials>

export function templatesMarkdown(trials: Trials): string {
  const all = templates.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
  return `# Products

How ${all.length} products that others wrote sign people in by Ostiary, and what stands in their own configuration. Generated from the templates of
\`contract/src/application-templates/\` by \`npm run docs\`.

## Set one up

In the dashboard choose *Applications → New application → A product that exists*, the product, and its address. The page shows the lines for the
configuration of the product with your values in them, and the secret once. The page of the application keeps the lines, without the secret. On the
command line, after \`npx ostiary login\`:

\`\`\`sh
npx ostiary application-templates list
npx ostiary applications create --project shop --env test --template grafana --url https://grafana.example.com
\`\`\`

\`GET /v1/application-templates\` has the same templates, without a credential, and \`POST E/applications\` takes \`template\` and \`url\`. Every field
that you send wins over that of the template, and the application can be changed as any other.

The address is the one that people open in the browser, with its path if it has one, without a slash at the end. In Live it is \`https\`. If a
product does not get in, begin at [When an application does not get in](guides/web-application.md#when-an-application-does-not-get-in). A product
that is not here works too, if it is an OpenID Connect client: create a \`web\` application with its redirect URI.

## What products need

Most products let a person in who has an address and nothing else. Some key their accounts by a user name or the address:

- **A user name** is the claim \`preferred_username\`. The setting \`claims.preferred_username: email\` puts the verified address in its place.
- **A name** is the claim \`name\`. The setting \`claims.name: email\` does the same, and \`sign_up.name: required\` asks people for one.
- **A verified address** is one whose person has entered a code or opened a link that was mailed to it.
- **Groups and roles** are the slugs of the person's roles, in the claim that \`roles_claim\` of the application names. The notes of each product say
  what works without them.

## All products

"Secret" says whether the client secret may be in the header, in the body or in both places. "PKCE" says whether a request needs it; with "or nonce"
a nonce can take its place. "Tried" names the version that signed people in by the template. The others come from the documentation of the product on
that day, and nobody has tried them yet.

| Product | Redirect path | Secret | PKCE | Sign-out | Needs | Tried |
| --- | --- | --- | --- | --- | --- | --- |
${all.map(tableRow).join('\n')}

${trialsMarkdown(trials)}${all.map(section).join('\n\n')}
`
}

function trialsMarkdown(trials: Trials): string {
  const rows = templates
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
    .flatMap(({ slug, name }) => {
      const trial = trials.find((each) => each.slug === slug)
      if (!trial) return []
      const { refresh, sign_out, back_channel, without_template } = trial
      return `| [${name}](#${anchorOf(name)}) | ${[refresh, sign_out, back_channel].map(seenWords).join(' | ')} | ${without_template === null ? '—' : without_template ? 'yes' : 'no'} |`
    })
  return `## Tried products

\`npm run applications\` sets each of these up by the lines of its template alone, and signs two people in: one of whom everything is known, and one with
an address and nothing else. Then it tries a refresh of the tokens, the sign-out of the product, and back-channel logout, where the product has them. The
last column says whether both people also sign in where the application has the defaults of a new one (\`npm run applications -- --defaults\`).

| Product | Refresh | Sign-out | Back-channel logout | Without the template |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

`
}

const seenWords = (seen: boolean | null) => (seen === null ? '—' : seen ? 'works' : 'fails')

const code = (text: string) => `\`${text}\``
const listed = (texts: readonly string[]) => (texts.length === 0 ? '—' : texts.join(', '))
const pathOf = (address: string) => address.replace('{url}', '') || '/'

function tableRow(template: ApplicationTemplate): string {
  const { name, slug, redirect_uris, needs } = template
  const cells = [
    `[${name}](#${anchorOf(name)}) ${code(slug)}`,
    redirect_uris.map((uri) => (uri === '{url}' ? 'the address itself' : code(pathOf(uri)))).join(', '),
    secretWords(template),
    pkceWords(template),
    listed(signOutWords(template)),
    listed(needs.map((need) => need_words[need])),
    triedWords(template),
  ]
  return `| ${cells.join(' | ')} |`
}

const need_words: Record<ApplicationTemplate['needs'][number], string> = {
  name: 'a name',
  preferred_username: 'a user name',
  groups: 'groups',
  email_verified: 'a verified address',
}

function secretWords({ token_endpoint_auth_method }: ApplicationTemplate): string {
  const words: Partial<Record<typeof token_endpoint_auth_method, string>> = {
    none: 'none',
    client_secret: 'both',
    client_secret_basic: 'header',
    client_secret_post: 'body',
  }
  return words[token_endpoint_auth_method] ?? token_endpoint_auth_method
}

function pkceWords({ require_pkce, nonce_replaces_pkce }: ApplicationTemplate): string {
  if (!require_pkce) return 'not required'
  return nonce_replaces_pkce ? 'or nonce' : 'required'
}

function signOutWords({ post_logout_redirect_uris, backchannel_logout_uri }: ApplicationTemplate): string[] {
  return [...(post_logout_redirect_uris.length > 0 ? ['returns'] : []), ...(backchannel_logout_uri ? ['back-channel'] : [])]
}

const triedWords = ({ tried, documented_at }: ApplicationTemplate) =>
  tried ? `${tried.version}, ${tried.at}` : `not yet, ${documented_at}`

/** GitHub and the served documents make anchors of headings this way. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** The introduction says it of all products. */
const said_once = /, which come with `roles_claim` of the application/

function section({ name, slug, homepage, source, setup, notes }: ApplicationTemplate): string {
  const steps = setup.map(({ title, language, text }) => `${title}:\n\n\`\`\`${language === 'form' ? 'text' : language}\n${text}\n\`\`\``)
  return [
    `## ${name}`,
    `${code(slug)}: [product](${homepage}), [documentation](${source}).`,
    ...steps,
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note.replace(said_once, '')}`).join('\n')]),
  ].join('\n\n')
}
