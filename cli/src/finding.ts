/** The result of one check of `ostiary doctor`. */
export interface Finding {
  level: 'ok' | 'warning' | 'problem'
  text: string
}

/** The part of a deployment that a finding is about, for programs that read the findings. */
type Check =
  | 'configuration'
  | 'database'
  | 'refresh_tokens'
  | 'schema'
  | 'audit_log'
  | 'files'
  | 'issuers'
  | 'providers'
  | 'expiry'
  | 'proxies'
  | 'egress'
  | 'log'
  | 'telemetry'
  | 'redis'
  | 'mail'
  | 'clock'

export type NamedFinding = Finding & { check: Check }

export const named = (check: Check, findings: readonly Finding[]): NamedFinding[] => findings.map((finding) => ({ check, ...finding }))
