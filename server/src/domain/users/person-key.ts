/** Names the person of an address in records that do not have the address: an account need not exist. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { emailKey } from '../../base/email.ts'
import type { Deployment } from '../../deployment/deployment.ts'

/** A keyed digest, which nobody can compare with a list of addresses, and which differs between environments. */
export const personKeyOf = ({ secrets }: Pick<Deployment, 'secrets'>, environment_id: EnvironmentId, email: string): string =>
  secrets.mac('person', JSON.stringify([environment_id, emailKey(email)])).toString('base64url')
