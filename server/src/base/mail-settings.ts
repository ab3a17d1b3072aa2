// pure
/** Reads the settings of mail: whether an environment sends mail, and where to. */
import type { settingsSchemas } from '@ostiary/contract/settings.ts'
import type { z } from 'zod'
export type EmailSettings = z.output<typeof settingsSchemas.test.shape.email>

/** Whether the environment sends mail: it captures it, or has everything that SMTP needs. */
export function sendsMail({ delivery, from, smtp }: EmailSettings): boolean {
  return delivery === 'capture' || (delivery === 'smtp' && from !== null && smtp !== null)
}

/** Only an allowed network is reached on another port, so that no tenant can use the service to probe other protocols. */
export const mail_ports: readonly number[] = [25, 465, 587, 2525]

/** The URL parser normalizes names and every spelling of an address. */
export const hostUrl = (host: string): URL => new URL(`http://${host.includes(':') ? `[${host}]` : host}`)
