/** The groups of the API reference. An operation belongs to the last group whose name is a segment of its path. */
import type { Route } from './route.ts'
import { oidcRoutes, serviceRoutes } from './routes.ts'

interface Tag {
  name: string
  description: string
}

// biome-ignore format: this table is read by column
const bySegment: Readonly<Record<string, Tag>> = {
  'api-keys':         { name: 'Key identity',          description: 'Which key is this?' },
  config:             { name: 'Auth configuration',    description: 'The public configuration of an environment, for browsers.' },
  tokens:             { name: 'Token validation',      description: 'Whether an access token is valid now, for backends.' },
  users:              { name: 'Users',                 description: 'The accounts of an environment. Secret keys manage them under `/v1/auth/users`; platform keys and administrators read them below the environment.' },
  sessions:           { name: 'Sessions',              description: 'Where a user is signed in.' },
  organizations:      { name: 'Organizations',         description: 'The customers of your product, with their members. Secret keys manage them under `/v1/auth/organizations`; platform keys and administrators read them below the environment.' },
  projects:           { name: 'Projects',              description: 'A product of the tenant, with its environments.' },
  promotions:         { name: 'Promotions',            description: 'Plans that bring the configuration of one environment, or a document, to another, and what became of them.' },
  environments:       { name: 'Environments',          description: 'Test and Live, each with its own issuer, users, keys and settings.' },
  settings:           { name: 'Settings',              description: 'How an environment signs people in.' },
  configuration:      { name: 'Configuration',         description: 'The whole configuration of an environment as one document.' },
  applications:       { name: 'Applications',          description: 'The OAuth clients of an environment.' },
  'application-templates': { name: 'Applications',     description: 'The OAuth clients of an environment.' },
  'metadata-clients': { name: 'Metadata clients',      description: 'Clients that nobody registered: the client id is the URL of a document about the client.' },
  'resource-servers': { name: 'Resource servers',      description: 'The APIs that access tokens are issued for.' },
  roles:              { name: 'Roles',                 description: 'Named sets of scopes, which a backend gives to users.' },
  'auth-keys':        { name: 'Auth keys',             description: 'The publishable and secret keys of an environment.' },
  inbox:              { name: 'Captured mail',         description: 'The mail that a Test environment keeps instead of sending it.' },
  events:             { name: 'Events',                description: 'What happened in an environment, in one order.' },
  names:              { name: 'Events',                description: 'What happened in an environment, in one order.' },
  requests:           { name: 'Refused calls',         description: 'Why calls were refused, found by their request id.' },
  providers:          { name: 'Identity providers',    description: 'Other services by which people sign in.' },
  webhooks:           { name: 'Webhooks',              description: 'Events as signed POST requests to your service, with their deliveries.' },
  'backchannel-logouts': { name: 'Back-channel logouts', description: 'Logout tokens that are sent to applications.' },
  methods:            { name: 'Sign-in methods',       description: 'How a user can sign in, and what the user has given to applications.' },
  grants:             { name: 'Sign-in methods',       description: 'How a user can sign in, and what the user has given to applications.' },
  readiness:          { name: 'Readiness',             description: 'What an environment lacks before real users come.' },
  statistics:         { name: 'Statistics',            description: 'Counters per hour and day.' },
  'signing-keys':     { name: 'Signing keys',          description: 'The keys that sign the tokens of an environment.' },
  me:                 { name: 'Administrators',        description: 'The person who calls, and where an id belongs.' },
  lookup:             { name: 'Administrators',        description: 'The person who calls, and where an id belongs.' },
  tenants:            { name: 'Tenants',               description: 'A customer of this deployment, with projects and members.' },
  members:            { name: 'Members',               description: 'The administrators of a tenant, and invitations.' },
  'audit-log':        { name: 'Audit log',             description: 'Who changed what in a tenant. Entries form a hash chain.' },
  'platform-keys':    { name: 'Platform keys',         description: 'Keys that automate the setup of a tenant.' },
}

const oidc: Tag = {
  name: 'OpenID Connect',
  description:
    'The standard endpoints of an issuer. Use an OpenID Connect library: it needs the issuer, the client id and the secret only.',
}
const pages: Tag = { name: 'Hosted pages', description: 'The pages that people see, and their forms. Programs call none of them.' }
const service: Tag = { name: 'Service', description: 'Health, documentation and the demo.' }

const protocol_pages: readonly string[] = [oidcRoutes.authorize.path, oidcRoutes.logout.path]

export function tagOf(route: Route): Tag {
  if (Object.values<Route>(serviceRoutes).includes(route) && !route.path.startsWith('/v1/')) return service
  if (Object.values<Route>(oidcRoutes).includes(route)) return route.page && !protocol_pages.includes(route.path) ? pages : oidc
  const segments = route.path.split('/')
  const tag = segments.includes('organizations')
    ? bySegment.organizations // it has members of its own
    : segments.map((segment) => bySegment[segment]).findLast((found) => found !== undefined)
  if (!tag) throw new Error(`No segment of ${route.path} has a tag. Add one to tags.ts.`)
  return tag
}

/** In the order of the reference. */
export const tags: readonly Tag[] = [...new Map([...Object.values(bySegment), oidc, pages, service].map((tag) => [tag.name, tag])).values()]
