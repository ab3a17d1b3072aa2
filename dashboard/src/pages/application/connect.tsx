/** Shows the values that code or a product needs to sign people in: addresses and ids to copy, and code or configuration with them. */
import type { Application } from '@ostiary/sdk'
import { Card } from '../../parts/card.tsx'
import { CodeTabs } from '../../parts/code.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { useRead } from '../../parts/reading.tsx'
import { Time } from '../../parts/time.tsx'
import { Uri } from '../../parts/uri.tsx'
import { resourceServers } from '../../queries/resource-servers.ts'
import { templates } from '../../queries/templates.ts'
import { useEnvironment } from '../../scope.tsx'
import { createdSecret } from '../applications/created-secret.ts'
import { productAddress } from './product-address.ts'
import { ProductSetup } from './product-setup.tsx'
import { unknown_secret } from './snippets/values.ts'
import { snippetsOf } from './snippets.ts'

export function Connect({ application }: { application: Application }) {
  const here = useEnvironment()
  const { issuer } = here.environment
  // The template of a product can be gone with another version of the service. Its application then shows code as any other.
  const read = useRead(templates.all(here), { enabled: application.template !== null })
  const servers = useRead(resourceServers.every(here), { enabled: application.template === null })
  const template = read.data?.data.find(({ slug }) => slug === application.template)
  const facts = [
    ['Issuer', issuer],
    ['Discovery URL', `${issuer}/.well-known/openid-configuration`],
    ['Client id', application.client_id],
    ...application.redirect_uris.map((uri, index) => [index === 0 ? 'Redirect URI' : `Redirect URI ${index + 1}`, uri]),
  ] as [string, string][] // as: pairs
  // A secret that was shown a moment ago is not shown again, but need not be pasted by hand either.
  const secret = createdSecret(application.id)
  const filled =
    secret === ''
      ? undefined
      : {
          fill: (text: string) => text.replaceAll(unknown_secret, () => secret),
          words: 'Copied with the secret that you have just stored.',
        }
  return (
    <div className="stack">
      <Card title={<>What {application.template === null ? 'your code' : 'the product'} needs</>}>
        <dl className="kv">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Uri value={value} />
                <CopyButton value={value} label={name} />
              </dd>
            </div>
          ))}
          {application.has_client_secret ? (
            <div>
              <dt>Client secret</dt>
              <dd>
                <span className="muted">
                  Shown once, <Time at={application.secret_rotated_at ?? application.created_at} />.{' '}
                  {sentAs[application.token_endpoint_auth_method]}
                </span>
              </dd>
            </div>
          ) : null}
        </dl>
      </Card>
      {template ? (
        <ProductSetup
          template={template}
          values={{ client_id: application.client_id, client_secret: null, url: productAddress(template, application.redirect_uris) }}
          filled={filled}
        />
      ) : read.isLoading || servers.isLoading ? null : (
        <>
          <CodeTabs
            label="Client"
            snippets={snippetsOf(application, { issuer, base_url: window.location.origin, servers: servers.data ?? [] })}
            filled={filled}
          />
          <Frameworks application_type={application.application_type} />
        </>
      )}
    </div>
  )
}

const Frameworks = ({ application_type }: Pick<Application, 'application_type'>) => (
  <p className="small muted">
    With a framework:{' '}
    {guides[application_type].map(([path, name], place) => (
      <span key={path}>
        {place > 0 ? ', ' : ''}
        <a className="u" href={path}>
          {name}
        </a>
      </span>
    ))}
    . Each page goes from an empty folder to a person who is signed in.
  </p>
)

/** How a client secret is sent. */
const sentAs: Partial<Record<Application['token_endpoint_auth_method'], string>> = {
  client_secret: 'Sent in the header or in the body.',
  client_secret_basic: 'Sent in the header.',
  client_secret_post: 'Sent in the body.',
}

// biome-ignore format: this table is read by column
const guides: Record<Application['application_type'], readonly (readonly [path: string, name: string])[]> = {
  web:    [['/docs/guides/nextjs', 'Next.js'], ['/docs/guides/sveltekit', 'SvelteKit'], ['/docs/guides/django', 'Django'], ['/docs/guides/fastapi', 'FastAPI'], ['/docs/guides/laravel', 'Laravel'], ['/docs/guides/rails', 'Rails'], ['/docs/guides/spring', 'Spring Boot'], ['/docs/guides/aspnet-core', 'ASP.NET Core']],
  spa:    [['/docs/guides/react', 'React'], ['/docs/guides/vue', 'Vue']],
  native: [['/docs/guides/react-native', 'React Native'], ['/docs/guides/native-application', 'a program of your own']],
}
