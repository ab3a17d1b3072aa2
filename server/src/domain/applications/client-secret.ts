import { newSecret } from '../../deployment/deployment.ts'

export type Makes = Parameters<typeof newSecret>[0]

/** 256 random bits, with a prefix that secret scanners recognise. */
export const makeClientSecret = (services: Makes): string => `svc_client_${newSecret(services)}`
