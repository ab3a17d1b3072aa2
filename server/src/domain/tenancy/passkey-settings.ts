// pure
/** The rules of `sign_in.passkey` that the schema cannot express: they compare fields with the issuer of the environment. */
import { settingsSchemas } from '@ostiary/contract/settings.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import type { z } from 'zod'
import { isOnSharedHost, rpIdOf } from '../../base/rp-id.ts'

type Document = Record<string, unknown>

/** Finds what a change of the group `sign_in` may not do. Changes of other groups are not judged by it. */
export function passkeyProblems(type: EnvironmentType, issuer: string, merged: Document, change: Document): z.core.$ZodIssue[] {
  if (change.sign_in === undefined || !settingsSchemas.test.shape.sign_in.parse(methodsOf(merged)).passkey) return []
  if (rpIdOf(issuer) === null)
    return [problem('The host of the issuer is an address, and a passkey belongs to a name. Give the service a name in OSTIARY_BASE_URL.')]
  if (type === 'test' || !isOnSharedHost(issuer)) return []
  return settingsSchemas.live.shape.sign_in.parse(merged.sign_in).passkey_shared_host
    ? []
    : [
        problem(
          'Passkeys of this environment would belong to the host that it shares with others, and could never move to a host of its own. Set sign_in.passkey_shared_host if that is wanted.',
        ),
      ]
}

/** The fields that both types have. */
function methodsOf({ sign_in }: Document): unknown {
  const { passkey_shared_host: _, ...methods } = (sign_in ?? {}) as Document // as: checked by the schema of the type
  return methods
}

const problem = (message: string): z.core.$ZodIssue => ({ code: 'custom', path: ['sign_in', 'passkey'], message, input: true })
