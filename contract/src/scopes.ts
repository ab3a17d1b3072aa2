/** The scopes of platform keys, and of OpenID Connect requests (OIDC Core §5.4, §11). */
import { z } from 'zod'

export const platformScopes = [
  'projects:read',
  'projects:write',
  'environments:read',
  'environments:write',
  'env.settings:read',
  'env.settings:write',
  'applications:read',
  'applications:write',
  'resource_servers:read',
  'resource_servers:write',
  'providers:read',
  'providers:write',
  'webhooks:read',
  'webhooks:write',
  'auth_keys:read',
  'auth_keys:write',
  'users:read',
] as const

export type PlatformScope = (typeof platformScopes)[number]

export const KeyScope = z.enum([...platformScopes, '*'])

/** The scopes that an application can request without a resource server. */
export const oidcScopes = ['openid', 'profile', 'email', 'phone', 'offline_access'] as const
