/** How a provider is created, changed and deleted: the statements, the records before and after, and the event. */
import type { Provider, ProviderFields } from '@ostiary/contract/objects/provider.ts'
import { sealed_columns } from '../../deployment/secrets/sealed-columns.ts'
import type { Secrets } from '../../deployment/secrets/secrets.ts'
import type { Origin } from '../events/store.ts'
import { begun, type Edit, moved, type ObjectChange, type ObjectPlace } from '../tenancy/objects.ts'
import { deleteProvider, insertProvider, type KeptOrSealed, type ProviderRow, type SealedSecrets, updateProvider } from './store.ts'

type Seals = { readonly secrets: Pick<Secrets, 'seal'> }

/** The secrets that were sent, in the clear. `undefined` keeps what is stored, and `null` removes it. */
export type SentSecrets = Partial<Record<keyof SealedSecrets, string | null | undefined>>

function sealed({ secrets }: Seals, environment_id: string, id: string, sent: SentSecrets): KeptOrSealed {
  const seal = (name: keyof SealedSecrets) => {
    const value = sent[name]
    return value == null ? value : secrets.seal(value, sealed_columns.providers.associatedData(environment_id, id, name))
  }
  return { client_secret: seal('client_secret'), private_key: seal('private_key') }
}

/** Which secrets a provider has, after those that were sent. */
export function hasAfter({ client_secret, private_key }: SentSecrets, current?: Has): Has {
  const has = (sent: string | null | undefined, before = false) => (sent === undefined ? before : sent !== null)
  return {
    has_client_secret: has(client_secret, current?.has_client_secret),
    has_private_key: has(private_key, current?.has_private_key),
  }
}
type Has = Pick<ProviderRow, 'has_client_secret' | 'has_private_key'>

export function created(
  services: Seals,
  place: ObjectPlace,
  { id, slug, type }: Pick<Provider, 'id' | 'slug' | 'type'>,
  { fields, secrets }: { fields: ProviderFields; secrets: SentSecrets },
): ObjectChange<ProviderRow> {
  const { environment_id, issuer, at } = place
  const { client_secret = null, private_key = null } = sealed(services, environment_id, id, secrets)
  return {
    statements: [insertProvider(environment_id, { id, slug, type }, { fields, sealed: { client_secret, private_key } }, at)],
    before: null,
    after: {
      ...begun(place, { id, slug }),
      ...fields,
      type,
      ...hasAfter(secrets),
      callback_url: `${issuer}/oauth/callback/${id}`,
      post_logout_redirect_uri: `${issuer}/oauth/signed-out/${id}`,
      backchannel_logout_uri: `${issuer}/oauth/backchannel/${id}`,
      last_success_at: null,
      last_failure: null,
    },
    event: { type: 'provider.created', data: { provider_id: id, slug, type } },
  }
}

export const changed = (
  services: Seals,
  current: ProviderRow,
  { fields, changed, at }: Edit<ProviderFields>,
  sent: SentSecrets,
): ObjectChange<ProviderRow> => ({
  statements: updateProvider(current, fields, sealed(services, current.environment_id, current.id, sent), at),
  before: current,
  after: { ...current, ...fields, ...hasAfter(sent, current), ...moved(current, at) },
  event: { type: 'provider.updated', data: { provider_id: current.id, changed } },
})

/** @param origin of the events of the identities, which follow */
export function deleted(current: ProviderRow, origin: Origin, at: Date): ObjectChange<null> {
  const { id, slug, type } = current
  return {
    statements: deleteProvider(current, origin, at),
    before: current,
    after: null,
    event: { type: 'provider.deleted', data: { provider_id: id, slug, type } },
  }
}
