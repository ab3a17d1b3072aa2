/**
 * Templates of applications: how a product that others wrote is registered, and the lines of its own configuration. Each product is one
 * file of `application-templates/`, whose list is generated (decision 0112).
 */
import { z } from 'zod'
import { Application } from './objects/application.ts'
import { oidcScopes } from './scopes.ts'
import { Name, Slug, text, WebUrl } from './values.ts'

/** An address of the product: `{url}`, and a path of plain segments. */
const Address = text(200)
  .regex(/^\{url\}(\/[A-Za-z0-9_~:-][A-Za-z0-9._~:-]*)*\/?(\?[a-z_]+=[a-z_]+)?$/, 'Expected {url} and a path, such as {url}/callback.')
  .meta({ examples: ['{url}/callback'] })

export const setup_languages = ['apache', 'form', 'ini', 'javascript', 'json', 'php', 'python', 'ruby', 'sh', 'toml', 'yaml'] as const
export type SetupLanguage = (typeof setup_languages)[number]

const { application_type, token_endpoint_auth_method, require_pkce, nonce_replaces_pkce, unknown_scopes } = Application.shape

const Sentence = text(500, 1)

const SetupText = z.strictObject({
  title: text(200, 1).describe('Where the text stands in the product.'),
  language: z
    .enum(setup_languages)
    .describe('The language of the text. `form` lists fields of a page, each with its value, or words of a menu.'),
  text: text(4_000, 1).describe('The text, with `{issuer}`, `{client_id}`, `{client_secret}` and `{url}` in the place of values.'),
})

const Tried = z.strictObject({
  version: text(50, 1).describe('The version of the product.'),
  at: z.iso.date().describe('The day.'),
})

/** A template sets these fields of an application, and no others. */
export const ApplicationTemplate = z.strictObject({
  slug: Slug.describe('The name of the template, for `template` of a new application.'),
  name: Name.describe('The product.'),
  homepage: WebUrl.describe('The page of the product.'),
  application_type,
  redirect_uris: z.array(Address).min(1).max(10).describe('Where sign-in returns to. `{url}` stands for the address of the product.'),
  post_logout_redirect_uris: z.array(Address).max(10).describe('Where sign-out can return to.'),
  backchannel_logout_uri: Address.nullable().describe('Where the product takes logout tokens; `null` if it takes none.'),
  initiate_login_uri: Address.nullable().describe('Where the product begins a sign-in that it did not begin itself; `null` if nowhere.'),
  token_endpoint_auth_method,
  require_pkce,
  nonce_replaces_pkce,
  unknown_scopes,
  scopes: z
    .array(z.enum(oidcScopes))
    .min(1)
    .max(oidcScopes.length)
    .describe('The scopes that the product requests, for `allowed_scopes` of the application.'),
  needs: z
    .array(z.enum(['name', 'preferred_username', 'groups', 'email_verified']))
    .max(4)
    .describe(
      'What the product needs of a person to let them in: `name` and `preferred_username` are claims, `email_verified` is a verified address, `groups` are memberships, which the service does not have yet.',
    ),
  setup: z.array(SetupText).min(1).max(6).describe('What the operator writes into the configuration of the product, in this order.'),
  notes: z.array(Sentence).max(8).describe('What works, what does not, and what else to know.'),
  tried: Tried.nullable().describe(
    'The last version that signed people in by this template; `null` if the template comes from documentation only.',
  ),
  documented_at: z.iso.date().describe('The day on which the template was compared with the documentation of the product.'),
  source: WebUrl.describe('The page of the documentation of the product.'),
})
export type ApplicationTemplate = z.infer<typeof ApplicationTemplate>

/** All templates, in one answer. */
export const ApplicationTemplates = z.strictObject({
  data: z.array(ApplicationTemplate).describe('The templates, by their slugs.'),
})

const defaults = {
  application_type: 'web',
  post_logout_redirect_uris: [],
  backchannel_logout_uri: null,
  initiate_login_uri: null,
  token_endpoint_auth_method: 'client_secret',
  require_pkce: true,
  nonce_replaces_pkce: true,
  unknown_scopes: 'reject',
  scopes: ['openid', 'profile', 'email'],
  needs: [],
  notes: [],
  tried: null,
  documented_at: '2026-11-26',
} as const satisfies Partial<ApplicationTemplate>

type Described = Omit<ApplicationTemplate, keyof typeof defaults> & { readonly [Name in keyof typeof defaults]?: ApplicationTemplate[Name] }

/** A template with the fields that most products share: a secret in either place, and PKCE or a nonce. Its members have the order of the schema. */
export function template(described: Described): ApplicationTemplate {
  const all: Record<string, unknown> = { ...defaults, ...described }
  return Object.fromEntries(Object.keys(ApplicationTemplate.shape).map((name) => [name, all[name]])) as ApplicationTemplate // as: each member of the schema is in one of both
}
