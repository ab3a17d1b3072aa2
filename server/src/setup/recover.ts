/** Recovers a tenant whose owners are locked out: creates an invitation as owner, on the machine itself. */
import { TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { digestOf } from '../base/digest.ts'
import { sql } from '../db/db.ts'
import { type Deployment, newSecret } from '../deployment/deployment.ts'
import { describeChange } from '../domain/audit/entry.ts'
import { insertAuditEntry } from '../domain/audit/store.ts'
import { bySystem } from '../domain/events/origin.ts'
import { invitationUrl } from '../domain/members/invitation-url.ts'
import { insertInvitation, invitationExpiry } from '../domain/members/invitations.ts'
import { SetupRefused } from './first-tenant.ts'
import { ensureRoot } from './root.ts'

const Found = z.object({ id: TenantId })

/**
 * Invites an email address to the tenant as owner and returns the link. The inviter is the system, so the invitation stays valid when a
 * member leaves, and no limit of the tenant refuses it.
 * @throws SetupRefused if no tenant has this slug
 */
export async function recover(deployment: Deployment, { tenant, email }: { tenant: string; email: string }) {
  const { config, db, now, newId } = deployment
  const root = await ensureRoot(deployment)
  const found = await db.maybeOne(Found, sql`select id from tenants where slug = ${tenant}`)
  if (!found) throw new SetupRefused('unknown_tenant', `There is no tenant with the slug "${tenant}".`)
  const at = now()
  const token = newSecret(deployment)
  const link = { token_hash: digestOf(token), expires_at: invitationExpiry(at) }
  const invitation = { tenant_id: found.id, id: newId('inv'), email, role: 'owner' as const, inviter_id: null }
  const { inviter_id: _, ...shown } = { ...invitation, expires_at: link.expires_at.toISOString() }
  const created = await db.batch([
    ...insertInvitation(invitation, link, config.limits, at),
    insertAuditEntry(
      found.id,
      { id: newId('aud'), action: 'recover', actor: bySystem, actor_label: null, request_id: null, ip: null },
      describeChange(null, { ...shown, status: 'pending' }),
      at,
    ),
  ])
  if (!created) throw new Error('The invitation was not created although nothing limits it.')
  const { id, ...rest } = shown
  return { invitation_id: id, ...rest, invitation_url: invitationUrl(root, token) }
}
