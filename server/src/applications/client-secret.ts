import { newSecret } from '../deployment/deployment.ts'

/** 256 random bits, with a prefix that secret scanners recognise. */
export const makeClientSecret = (services: Parameters<typeof newSecret>[0]): string => `svc_client_${newSecret(services)}`
