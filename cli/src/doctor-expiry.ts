/** The part of `ostiary doctor` about what ends soon: secrets, keys and the certificates of issuer hosts, as the service read them last. */
import { type ExpiringKind, expiringKinds } from '@ostiary/contract/expiry.ts'
import type { Deployment } from '@ostiary/server/deployment/deployment.ts'
import { countExpiring, readExpiring } from '@ostiary/server/domain/expiry/sources.ts'
import type { Finding } from './finding.ts'

const words: Record<ExpiringKind, [one: string, several: string]> = {
  client_secret: ['client secret', 'client secrets'],
  auth_key: ['key', 'keys'],
  platform_key: ['platform key', 'platform keys'],
  provider_secret: ['secret at an identity provider', 'secrets at identity providers'],
  certificate: ['certificate of an issuer host', 'certificates of issuer hosts'],
}

export async function checkExpiry({ db, now }: Pick<Deployment, 'db' | 'now'>): Promise<Finding[]> {
  const at = now()
  const found = await Promise.all(
    expiringKinds.map(async (kind): Promise<Finding[]> => {
      const count = await countExpiring(db, kind, 7, at)
      const [first] = await readExpiring(db, kind, { after: null, limit: 1 }, at)
      if (count === 0 || !first) return []
      const text = `${count} ${words[kind][count === 1 ? 0 : 1]} end within 7 days, first ${first.name} (${first.id}) on ${first.expires_at.toISOString()}. Replace each before it ends.`
      return [{ level: 'warning', text: count === 1 ? text.replace(' end ', ' ends ') : text }]
    }),
  )
  const findings = found.flat()
  return findings.length > 0
    ? findings
    : [{ level: 'ok', text: 'No secret, no key and no certificate of an issuer host ends within 7 days.' }]
}
