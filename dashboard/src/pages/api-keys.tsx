/** The keys of an environment: publishable and secret ones. */

import type { ApiKey } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { ByApi, pathOf } from '../parts/snippets.tsx'
import { keyUses, StatisticsCharts } from '../parts/statistics.tsx'
import { impact } from '../queries/impact.ts'
import { environmentKeys } from '../queries/keys.ts'
import { useEnvironment } from '../scope.tsx'
import { kindOf } from './keys/keys-table.tsx'
import { KeysPage } from './keys/page.tsx'

export default function ApiKeys() {
  const here = useEnvironment()
  const { client, at, tenant } = here
  return (
    <KeysPage
      title="API keys"
      lead={
        <>
          Keys of this environment. A publishable key goes into browser code; a secret key stays on your server. For automation across
          projects use a{' '}
          <Link to="/t/$tenant/platform-keys" params={{ tenant: tenant.slug }}>
            platform key
          </Link>
          .
        </>
      }
      needs="developer"
      second={{ head: 'Kind', cell: kindOf }}
      empty="A key lets your code call Ostiary. Create a publishable key for a web page, or a secret key for your server."
      snippet={
        <ByApi operation="createAuthKey" path={`${pathOf(at)}/auth-keys`} params={at} body={{ type: 'auth_secret', label: 'orders' }} />
      }
      reads={environmentKeys(here)}
      impact={(key_id) => impact.ofKey(here, key_id)}
      create={({ scopes: _, allowed_origins, ...form }) =>
        client.createAuthKey(at, form.type === 'auth_publishable' ? { ...form, allowed_origins } : form)
      }
      change={(key_id, { scopes: _, ...change }, options) => client.responses.changeAuthKey({ ...at, key_id }, change, options)}
      rotate={(key_id) => client.rotateAuthKey({ ...at, key_id })}
      revoke={(key_id) => client.revokeAuthKey({ ...at, key_id })}
      use={(keys) => <StatisticsCharts title="Use" kinds={[keyUses(nameOfKey(keys))]} />}
    />
  )
}

/** Names a key in the chart. Two keys can have the same label, so a part of the key follows. */
const nameOfKey = (keys: readonly ApiKey[]) => (key_id: string) => {
  const key = keys.find(({ id }) => id === key_id)
  return key ? `${key.label ?? 'without a label'} (…${key.last4})` : key_id
}
