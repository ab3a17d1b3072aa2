/**
 * Creates what an example needs, and prints the example's settings: `node ../setup.js express-web > .env`.
 * It can run again at any time: it keeps what exists, and replaces a client secret, because a secret is shown only once.
 */
import { createClient, OstiaryError } from '@ostiary/sdk'

const { OSTIARY_URL = 'http://localhost:3000', OSTIARY_KEY, PORT } = process.env

const orders = {
  slug: 'orders',
  name: 'Orders',
  identifier: 'https://orders.example.com', // the name of the API in tokens; nothing calls this address
  scopes: [
    { name: 'orders:read', description: 'Read your orders' },
    { name: 'orders:write', description: 'Place orders' },
  ],
}

// biome-ignore format: this table is read by column
const examples = {
  'express-web': { port: 4001, application: webApplication },
  spa:           { port: 4002, application: singlePageApplication },
  'fastify-api': { port: 4003, resourceServer: () => orders },
  cli:           { port: 4003, application: commandLineProgram, resourceServer: () => orders }, // the port of the API that it calls
  'mcp-server':  { port: 4005, application: mcpClient, resourceServer: notes },
}

function webApplication(origin) {
  return {
    application_type: 'web',
    token_endpoint_auth_method: 'client_secret_basic',
    redirect_uris: [`${origin}/callback`],
    post_logout_redirect_uris: [`${origin}/`],
  }
}

function singlePageApplication(origin) {
  return { application_type: 'spa', redirect_uris: [`${origin}/`], post_logout_redirect_uris: [`${origin}/`] }
}

function commandLineProgram() {
  return {
    application_type: 'native',
    allowed_scopes: ['openid', 'email', 'orders:read'],
    redirect_uris: ['http://127.0.0.1/callback'],
    allow_loopback_port: true, // the program takes any free port (RFC 8252 §7.3)
  }
}

/** Clients of others: many return to the longer path, and ask for a refresh token by themselves. */
function mcpClient() {
  return {
    ...commandLineProgram(),
    allowed_scopes: ['openid', 'offline_access', 'notes:read', 'notes:write'],
    redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1/oauth/callback'],
  }
}

function notes(origin) {
  return {
    slug: `notes-${new URL(origin).port}`, // the identifier of a resource server never changes
    name: 'Notes',
    identifier: `${origin}/mcp`, // clients ask for tokens for the address of the MCP server
    scopes: [
      { name: 'notes:read', description: 'Read your notes' },
      { name: 'notes:write', description: 'Add notes' },
    ],
  }
}

const ostiary = createClient({ base_url: OSTIARY_URL, api_key: OSTIARY_KEY })

/** Creates an object, or changes the one that a list has found. */
async function ensure(found, create, change) {
  const { data } = await found.page()
  return data[0] ? change(data[0]) : create()
}

async function setUp(slug) {
  const { port: usual_port, application, resourceServer } = examples[slug]
  const port = Number(PORT ?? usual_port)
  const origin = `http://localhost:${port}`
  const settings = { PORT: port }

  const project = await ensure(
    ostiary.listProjects({ slug: 'examples' }),
    () => ostiary.createProject({ slug: 'examples', name: 'Examples' }),
    (existing) => existing,
  )
  const { data } = await ostiary.listEnvironments({ project_id: project.id }).page()
  const test = data.find(({ type }) => type === 'test')
  const path = { project_id: project.id, environment_id: test.id }
  await ostiary.changeSettings(path, { test: { fixed_code: '123456' } })
  settings.ISSUER = test.issuer

  if (resourceServer) {
    const wanted = resourceServer(origin)
    await ensure(
      ostiary.listResourceServers({ ...path, slug: wanted.slug }),
      () => ostiary.createResourceServer(path, wanted),
      ({ id }) => ostiary.changeResourceServer({ ...path, resource_server_id: id }, { scopes: wanted.scopes }),
    )
    settings.AUDIENCE = wanted.identifier
  }
  if (application) {
    const { application_type, ...wanted } = application(origin)
    const { id, client_secret } = await ensure(
      ostiary.listApplications({ ...path, slug }),
      () => ostiary.createApplication(path, { slug, name: `Example: ${slug}`, application_type, ...wanted }),
      async ({ id, has_client_secret }) => {
        await ostiary.changeApplication({ ...path, application_id: id }, wanted)
        return has_client_secret ? ostiary.rotateClientSecret({ ...path, application_id: id }) : { id }
      },
    )
    settings.CLIENT_ID = id
    if (client_secret) settings.CLIENT_SECRET = client_secret
  }
  return settings
}

try {
  const [slug = ''] = process.argv.slice(2)
  if (!Object.hasOwn(examples, slug)) throw new Error(`Name one of the examples: ${Object.keys(examples).join(', ')}.`)
  for (const [name, value] of Object.entries(await setUp(slug))) console.log(`${name}=${value}`)
} catch (error) {
  console.error(error instanceof OstiaryError || error.name === 'Error' ? error.message : error)
  process.exitCode = 1
}
