import { deviceLine } from '../base/device-name.ts'
import type { Device } from '../domain/mail/texts/notice.ts'
import { header, type OidcCall } from './call.ts'

/** The browser and the address that a mail names. */
export const deviceOf = (call: OidcCall): Device => ({ name: deviceLine(header(call, 'user-agent') ?? null), ip: call.ip })
