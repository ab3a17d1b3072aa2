// pure
/**
 * The documents that the service serves below `/docs`, in the order of the contents. A new document is one line here. Files are relative to
 * the folder that has `docs/`: the clone, or a release.
 */

interface Listed {
  /** Its address is `/docs/{name}`, and its Markdown is at `/docs/{name}.md`. */
  readonly name: string
  readonly file: string
}

interface Group {
  readonly title: string
  readonly documents: readonly Listed[]
}

const doc = (name: string): Listed => ({ name, file: `docs/${name}.md` })

export const contents: readonly Group[] = [
  { title: 'Start', documents: [doc('quick-start'), doc('concepts'), doc('not-here')] },
  {
    title: 'Guides',
    documents: [
      doc('guides'),
      doc('guides/web-application'),
      doc('guides/single-page-application'),
      doc('guides/native-application'),
      doc('guides/backend-api'),
      doc('guides/roles'),
      doc('guides/organizations'),
      doc('guides/which-check-counts'),
      doc('guides/roles-from-elsewhere'),
      doc('guides/mcp-server'),
      doc('guides/webhooks'),
      doc('guides/federation'),
      doc('guides/issuer-host'),
      doc('guides/providers'),
      doc('guides/sign-up'),
      doc('guides/emailed-codes'),
      doc('guides/passkeys'),
      doc('guides/second-factor'),
      doc('guides/sign-out'),
      doc('guides/support'),
      doc('guides/import-users'),
      doc('guides/personal-data'),
      doc('guides/claims'),
      doc('guides/look'),
      doc('guides/mail'),
      doc('guides/testing'),
      doc('guides/going-live'),
      doc('guides/promotion'),
      doc('guides/configuration'),
      doc('guides/key-rotation'),
      doc('guides/audit-log'),
      doc('guides/refused-calls'),
      doc('guides/proxy'),
      doc('guides/postgresql'),
      doc('guides/beyond-one-primary'),
      doc('guides/kubernetes'),
    ],
  },
  {
    title: 'Frameworks',
    documents: [
      doc('guides/nextjs'),
      doc('guides/react'),
      doc('guides/vue'),
      doc('guides/sveltekit'),
      doc('guides/react-native'),
      doc('guides/express'),
      doc('guides/django'),
      doc('guides/fastapi'),
      doc('guides/spring'),
      doc('guides/go'),
      doc('guides/aspnet-core'),
      doc('guides/laravel'),
      doc('guides/rails'),
    ],
  },
  { title: 'Products', documents: [doc('applications')] },
  {
    title: 'Examples',
    documents: [
      { name: 'examples', file: 'examples/README.md' },
      ...['express-web', 'spa', 'fastify-api', 'cli', 'mcp-server'].map((name) => ({
        name: `examples/${name}`,
        file: `examples/${name}/README.md`,
      })),
    ],
  },
  {
    title: 'Reference',
    documents: [doc('routes'), doc('events'), doc('commands'), { name: 'sdk', file: 'sdk/README.md' }, doc('generated-clients')],
  },
  {
    title: 'Settings',
    documents: [
      doc('settings'),
      doc('settings/sign-in'),
      doc('settings/passwords-and-lockout'),
      doc('settings/tokens'),
      doc('settings/sessions'),
      doc('settings/names-for-products'),
      doc('settings/scopes-and-browsers'),
      doc('settings/agents-and-other-programs'),
      doc('settings/mail'),
      doc('settings/look-and-links'),
      doc('settings/test-only'),
    ],
  },
  {
    title: 'Operation',
    documents: [
      doc('operate'),
      doc('metrics'),
      doc('telemetry'),
      doc('security'),
      { name: 'vulnerabilities', file: 'SECURITY.md' },
      { name: 'results', file: 'bench/RESULTS.md' },
      doc('comparison'),
    ],
  },
  {
    title: 'Project',
    documents: [
      { name: 'readme', file: 'README.md' },
      { name: 'changelog', file: 'CHANGELOG.md' },
      { name: 'contributing', file: 'CONTRIBUTING.md' },
      doc('architecture'),
      { name: 'decisions', file: 'docs/decisions/README.md' },
    ],
  },
]

/** The examples for operators in `packaging/`. They are served as pages too, since documents link to them. */
export const operator_examples = ['Caddyfile', 'Dockerfile', 'compose.yaml', 'env.example', 'grafana.json', 'nginx.conf', 'ostiary.service']

/** The files that have an address of their own. */
export const other_addresses: Readonly<Record<string, string>> = { 'docs/openapi.json': '/openapi.json', 'llms.txt': '/llms.txt' }

export const decisions_folder = 'docs/decisions'
