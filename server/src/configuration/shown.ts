/**
 * Describes the objects of an environment as the API shows them after they are written. The routes and promotions share it, so that an answer
 * and an audit entry have the same fields by either way.
 */
import type { Application } from '@ostiary/contract/application.ts'
import type { EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import type { ApplicationFields } from '../applications/rules.ts'
import type { ApplicationRow } from '../applications/store.ts'
import type { ProviderFields } from '../providers/kinds.ts'
import type { ProviderRow } from '../providers/store.ts'
import type { ResourceServerFields, ResourceServerRow } from '../resource-servers/store.ts'
import type { WebhookFields, WebhookRow } from '../webhooks/store.ts'

/** Where an object is, and since when. */
export interface NewPlace {
  readonly tenant_id: TenantId
  readonly project_id: string
  readonly environment_id: EnvironmentId
  readonly issuer: string
  readonly at: Date
}

interface Named {
  readonly id: string
  readonly slug: string
}

const begun = ({ tenant_id, project_id, environment_id, at }: NewPlace) => ({
  tenant_id,
  project_id,
  environment_id,
  created_at: at.toISOString(),
  updated_at: at.toISOString(),
  version: 1,
})

const moved = ({ version }: { readonly version: number }, at: Date) => ({ version: version + 1, updated_at: at.toISOString() })

export const newResourceServer = (place: NewPlace, { id, slug }: Named, fields: ResourceServerFields & { identifier: string }) => ({
  id,
  ...begun(place),
  slug,
  ...fields,
})

export const changedResourceServer = (current: ResourceServerRow, fields: ResourceServerFields, at: Date) => ({
  ...current,
  ...fields,
  ...moved(current, at),
})

type Birth = Pick<Application, 'application_type' | 'template' | 'has_client_secret'>

export const newApplication = (
  place: NewPlace,
  { id, slug, application_type, template, has_client_secret }: Named & Birth,
  fields: ApplicationFields,
) => ({
  id,
  client_id: id,
  ...begun(place),
  slug,
  ...fields,
  application_type,
  template,
  has_client_secret,
  secret_rotated_at: null,
})

/** @param secret what happens to the secret: a new one is made, it ends, or it stays */
export const changedApplication = <T extends ApplicationRow>(
  current: T,
  fields: ApplicationFields,
  secret: 'made' | 'ended' | 'stays',
  at: Date,
): T => ({
  ...current,
  ...fields,
  ...(secret === 'made' ? { has_client_secret: true, secret_rotated_at: at.toISOString() } : {}),
  ...(secret === 'ended' ? { has_client_secret: false, secret_rotated_at: null } : {}),
  ...moved(current, at),
})

type Has = Pick<ProviderRow, 'has_client_secret' | 'has_private_key'>

export const newProvider = (
  place: NewPlace,
  { id, slug, type, has_client_secret, has_private_key }: Named & Has & Pick<ProviderRow, 'type'>,
  fields: ProviderFields,
) => ({
  id,
  ...begun(place),
  slug,
  ...fields,
  type,
  has_client_secret,
  has_private_key,
  callback_url: `${place.issuer}/oauth/callback/${id}`,
  post_logout_redirect_uri: `${place.issuer}/oauth/signed-out/${id}`,
  backchannel_logout_uri: `${place.issuer}/oauth/backchannel/${id}`,
  last_success_at: null,
  last_failure: null,
})

export const changedProvider = (
  current: ProviderRow,
  fields: ProviderFields,
  { has_client_secret, has_private_key }: Has,
  at: Date,
): ProviderRow => ({ ...current, ...fields, has_client_secret, has_private_key, ...moved(current, at) })

export const newWebhook = (place: NewPlace, { id, slug }: Named, fields: WebhookFields) => ({
  id,
  ...begun(place),
  slug,
  ...fields,
  disabled_reason: null,
  previous_secret_until: null,
  last_success_at: null,
  failing_since: null,
})

/** Enabling a webhook forgets its failures. */
export const changedWebhook = (current: WebhookRow, fields: WebhookFields, at: Date): WebhookRow => ({
  ...current,
  ...fields,
  ...(current.disabled && !fields.disabled ? { disabled_reason: null, failing_since: null } : {}),
  ...moved(current, at),
})
