/** Every field of the configuration of an environment has a class, and every class has a field. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApplicationChange, ApplicationWithSecret, NewApplication } from '@ostiary/contract/objects/application.ts'
import { fieldClasses } from '@ostiary/contract/objects/objects.ts'
import { NewProvider, Provider, ProviderChange } from '@ostiary/contract/objects/provider.ts'
import { NewResourceServer, ResourceServer, ResourceServerChange } from '@ostiary/contract/objects/resource-server.ts'
import { EnvironmentRole, NewRole, RoleChange } from '@ostiary/contract/objects/role.ts'
import { NewWebhook, WebhookChange, WebhookWithSecret } from '@ostiary/contract/objects/webhook.ts'
import { Settings, settingsSchemas } from '@ostiary/contract/settings.ts'
import { z } from 'zod'

/** The schemas of each resource: the record with its secrets, the body of a creation, the body of a change. */
const schemas: Record<keyof typeof fieldClasses, z.ZodType[]> = {
  settings: [Settings, settingsSchemas.test, settingsSchemas.live],
  application: [ApplicationWithSecret, NewApplication, ApplicationChange],
  resource_server: [ResourceServer, NewResourceServer, ResourceServerChange],
  role: [EnvironmentRole, NewRole, RoleChange],
  provider: [Provider, NewProvider, ProviderChange],
  webhook: [WebhookWithSecret, NewWebhook, WebhookChange],
}

/** The paths of the fields of a schema. Only settings have groups: the members of other fields are part of the field. */
function fieldsOf(type: z.ZodType, nested: boolean, path: string[] = []): string[] {
  const { innerType } = type.def as { innerType?: z.ZodType } // as: the public, untyped introspection of zod
  if (innerType) return fieldsOf(innerType, nested, path)
  if (!(type instanceof z.ZodObject) || (path.length > 0 && !nested)) return [path.join('.')]
  return Object.entries(type.shape).flatMap(([name, inner]) => fieldsOf(inner as z.ZodType, nested, [...path, name])) // as: a shape holds types only
}

/** The class of every field by its path. */
function classesOf(classes: object, path: string[] = []): [path: string, name: unknown][] {
  return Object.entries(classes).flatMap(([name, inner]) =>
    typeof inner === 'object' ? classesOf(inner, [...path, name]) : ([[[...path, name].join('.'), inner]] as [string, unknown][]),
  )
}

for (const [resource, types] of Object.entries(schemas)) {
  const classes = classesOf(fieldClasses[resource as keyof typeof fieldClasses]) // as: the keys of the same type

  test(`${resource}: every field has a class, and every class has a field`, () => {
    const fields = new Set(types.flatMap((type) => fieldsOf(type, resource === 'settings')))
    if (resource === 'application') assert.ok(fields.delete('url'), 'it fills in the addresses of a template, and is not stored')
    assert.ok(fields.size > 8)
    assert.deepEqual(classes.map(([path]) => path).sort(), [...fields].sort())
  })

  test(`${resource}: ids, times and secrets are in the class never, and a slug is immutable`, () => {
    const never = /(^|\.)(id|client_secret|private_key|secret|password|created_at|updated_at|tenant_id|project_id|environment_id|has_\w+)$/
    const group_named_password = /^(password|sign_in)\./
    for (const [path, name] of classes) {
      if (path === 'sign_in.password' || (group_named_password.test(path) && !path.startsWith('email'))) continue
      if (never.test(path)) assert.equal(name, 'never', path)
      if (path === 'slug') assert.equal(name, 'immutable')
    }
  })
}

// biome-ignore format: this table is read by column
const examples: [resource: keyof typeof fieldClasses, path: string, name: string][] = [
  ['settings',        'tokens.access_token_ttl_seconds', 'travels'],
  ['settings',        'scopes.disabled',                 'travels'],
  ['settings',        'sign_in.password',                'travels'],
  ['settings',        'branding.primary_color',          'travels'],
  ['settings',        'branding.logo_url',               'owned'],
  ['settings',        'links.terms_url',                 'owned'],
  ['settings',        'cors.allowed_origins',            'owned'],
  ['settings',        'email.smtp.host',                 'owned'],
  ['settings',        'email.smtp.password',             'never'],
  ['settings',        'test.fixed_code',                 'owned'],
  ['application',     'name',                            'travels'],
  ['application',     'redirect_uris',                   'owned'],
  ['application',     'disabled',                        'owned'],
  ['application',     'application_type',                'immutable'],
  ['resource_server', 'scopes',                          'travels'],
  ['resource_server', 'identifier',                      'owned'],
  ['role',            'permissions',                     'travels'],
  ['role',            'default',                         'travels'],
  ['role',            'kind',                            'immutable'],
  ['provider',        'link_by_verified_email',          'travels'],
  ['provider',        'sign_out',                        'travels'],
  ['provider',        'key_id',                          'owned'],
  ['provider',        'type',                            'immutable'],
  ['webhook',         'events',                          'travels'],
  ['webhook',         'url',                             'owned'],
]
for (const [resource, path, name] of examples)
  test(`${resource}: ${path} is in the class ${name}`, () => assert.equal(new Map(classesOf(fieldClasses[resource])).get(path), name))
