import { digestOf } from '../../base/digest.ts'
import { type Deployment, newSecret } from '../../deployment/deployment.ts'

export type Makes = Pick<Deployment, 'random' | 'newId'>

export interface MadeSecret {
  readonly id: string
  /** The plaintext, which is shown once. */
  readonly client_secret: string
  readonly secret_hash: string
}

/** 256 random bits, with a prefix that secret scanners recognise. */
export function makeClientSecret(services: Makes): MadeSecret {
  const client_secret = `svc_client_${newSecret(services)}`
  return { id: services.newId('sec'), client_secret, secret_hash: digestOf(client_secret) }
}
