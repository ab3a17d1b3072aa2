/** The page of each group of the settings in the documents: what the group is for, each field, and how to change it. */
import { freshFields } from './fresh.ts'

/** A field as `settings-source.ts` describes it. */
export interface PageField {
  readonly path: string
  readonly label: string
  readonly help: string
  readonly values: string
  readonly default_value: string
  readonly class: string
  readonly consequence: string
  /** The type of environment that has the field, if not both. */
  readonly only?: 'test' | 'live' | undefined
}

interface GroupWords {
  readonly about: string
  /** The words of other products and of people, which the search of the documents reads too. */
  readonly elsewhere: string
  /** The page of the dashboard. */
  readonly place: 'Settings' | 'Sign-in pages'
  /** A field with a value that shows how to change it. */
  readonly example: readonly [path: string, value: string | number | boolean | readonly string[]]
  /** The guide that leads through the group, as a Markdown link. */
  readonly guide: string
}

/** By the title of the group. */
const group_words: Readonly<Record<string, GroupWords>> = {
  'Sign-in': {
    about: 'How people sign in, who may create an account, and whether a second factor is asked for.',
    elsewhere: 'registration, self-registration, disable sign-up, passwordless, login methods, MFA, 2FA, two-step verification',
    place: 'Settings',
    example: ['sign_up.mode', 'closed'],
    guide:
      '[Who may sign up](../guides/sign-up.md), [Emailed codes](../guides/emailed-codes.md), [Passkeys](../guides/passkeys.md), [Second factor](../guides/second-factor.md)',
  },
  'Passwords and lockout': {
    about: 'The rules for new passwords, and when wrong ones lock an account.',
    elsewhere: 'password policy, password strength, complexity, brute force protection, account lockout, too many attempts',
    place: 'Settings',
    example: ['password.min_length', 14],
    guide: '[When a person does not get in](../guides/support.md)',
  },
  Tokens: {
    about: 'How long tokens are valid, and their format.',
    elsewhere:
      'token lifetime, token expiration, expires_in, TTL, refresh token rotation, reuse interval, grace period, opaque tokens, reference tokens',
    place: 'Settings',
    example: ['tokens.access_token_ttl_seconds', 900],
    guide: '[Which check counts when](../guides/which-check-counts.md)',
  },
  Sessions: {
    about: 'How long a browser stays signed in before it asks again.',
    elsewhere: 'session length, session timeout, session duration, idle timeout, inactivity, SSO session, keep me signed in, remember me',
    place: 'Settings',
    example: ['sessions.idle_ttl_seconds', 43_200],
    guide: '[Sign-out](../guides/sign-out.md)',
  },
  'Names for products': {
    about: 'What stands in for a missing name or user name, for applications that need one.',
    elsewhere: 'username claim, display name, preferred_username is missing, missing name claim',
    place: 'Settings',
    example: ['claims.preferred_username', 'email'],
    guide: '[Products](../applications.md#what-products-need)',
  },
  'Scopes and browsers': {
    about: 'Which scopes are refused, and which pages of other origins may call the token endpoints.',
    elsewhere: 'CORS, allowed web origins, cross-origin, preflight, Access-Control-Allow-Origin',
    place: 'Settings',
    example: ['cors.allowed_origins', ['https://app.example.com']],
    guide:
      '[CORS](../guides/refused-calls.md#cors-the-browser-blocks-the-call), [Single-page application](../guides/single-page-application.md)',
  },
  'Agents and other programs': {
    about: 'Whether clients that nobody registered, such as agents, get in by their address.',
    elsewhere: 'MCP, AI agents, Client ID Metadata Documents, CIMD, dynamic client registration, DCR',
    place: 'Settings',
    example: ['oauth.metadata_clients', 'listed'],
    guide: '[MCP server](../guides/mcp-server.md#clients-that-nobody-registered)',
  },
  Mail: {
    about: 'Which server sends mail, and who is its sender.',
    elsewhere: 'SMTP, email provider, sender address, from address, SendGrid, Mailgun, Postmark, Amazon SES',
    place: 'Settings',
    example: ['email.from', 'Acme <accounts@acme.example>'],
    guide: '[Mail](../guides/mail.md)',
  },
  'Look and links': {
    about: 'Name, logo, colour and links of the hosted pages and of mails.',
    elsewhere: 'branding, theme, white label, logo, favicon, terms of service, privacy policy',
    place: 'Sign-in pages',
    example: ['branding.primary_color', '#1f4fd8'],
    guide: '[Your name, logo, colour, language and domain](../guides/look.md)',
  },
  'Test only': {
    about: 'Makes automated tests simple.',
    elsewhere: 'fixed OTP, test code, magic code, static verification code, end-to-end tests',
    place: 'Settings',
    example: ['test.fixed_code', '123456'],
    guide: '[Test your sign-in](../guides/testing.md)',
  },
}

const slugOf = (title: string) => title.toLowerCase().replaceAll(' ', '-')
export const settingsPageOf = (title: string): string => `settings/${slugOf(title)}`

/** The pages by their path from the root of the repository. */
export const settingsPages = (groups: readonly { title: string; fields: readonly PageField[] }[]): Record<string, string> =>
  Object.fromEntries(groups.map(({ title, fields }) => [`docs/${settingsPageOf(title)}.md`, pageOf(title, fields)]))

function pageOf(title: string, fields: readonly PageField[]): string {
  const words = group_words[title]
  if (!words) throw new TypeError(`The group "${title}" of the settings has no words in settings-pages.ts.`)
  const { about, elsewhere, place, example, guide } = words
  const [path, value] = example
  return `# Settings: ${lowered(title)}

${about} One group of the [settings](../settings.md) of an environment. Guide: ${guide}.

Elsewhere: ${elsewhere}.

${fields.map(sectionOf).join('\n')}
## Change it

In the dashboard: *${place} → ${title}* of the environment. By the API, with a platform key that has the scope \`env.settings:write\`; \`null\` restores a
default:

\`\`\`sh
curl -X PATCH "$BASE_URL/v1/platform/projects/$PROJECT_ID/environments/$ENVIRONMENT_ID/settings" \\
  -H "X-API-Key: $PLATFORM_KEY" -H 'Content-Type: application/merge-patch+json' \\
  -d '${JSON.stringify(bodyOf(path, value))}'
\`\`\`

On the command line:

\`\`\`sh
ostiary settings update ${optionsOf(path, value)} --project shop --env test
\`\`\`
`
}

function sectionOf({ path, label, help, values, default_value, class: kind, consequence, only }: PageField): string {
  const rows = [
    ['Values', values],
    ['Default', default_value],
    ['From Test to Live', only ? `\`${kind}\`: only ${only === 'test' ? 'Test' : 'Live'} has it` : `\`${kind}\`: ${classes[kind] ?? ''}`],
    ['A change affects', consequence.replaceAll('|', '\\|')],
    ['Fresh sign-in of an administrator', freshness(path)],
  ]
  return `## ${label}

\`${path}\`: ${help}

| | |
| --- | --- |
${rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}`
}

const classes: Readonly<Record<string, string>> = {
  travels: 'a promotion copies it',
  owned: 'each environment has its own value',
  never: 'a secret, which no promotion copies',
}

/** The rule of the nearest member of the path that has one. */
function freshness(path: string): string {
  const rules: Readonly<Record<string, { where: string }>> = freshFields.settings
  const parts = path.split('.')
  const named = parts.map((_, i) => rules[parts.slice(0, parts.length - i).join('.')]).find((rule) => rule !== undefined)
  return named === undefined ? 'not needed' : named.where === 'always' ? 'in Test and Live' : 'in Live'
}

const lowered = (title: string) => title.charAt(0).toLowerCase() + title.slice(1)

const bodyOf = (path: string, value: unknown): unknown => path.split('.').reduceRight<unknown>((body, name) => ({ [name]: body }), value)

function optionsOf(path: string, value: GroupWords['example'][1]): string {
  const values = typeof value === 'object' ? value : [value]
  return values.map((each) => `--${path.replaceAll('_', '-')} ${inShell(String(each))}`).join(' ')
}

const inShell = (text: string) => (/^[\w./:-]+$/.test(text) ? text : `'${text}'`)
