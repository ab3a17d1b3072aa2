/** Everything that handlers of the management API use: the deployment and the services that are built on it. */
import type { Slices } from '../base/steps.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { VerifyTenantLog } from '../domain/audit/verifications.ts'
import type { KeyStore } from '../domain/keys/store.ts'
import type { PlanTurns } from '../domain/promotions/turns.ts'
import type { Upstreams } from '../domain/providers/profile.ts'
import type { ScanApplications } from '../domain/readiness/store.ts'
import type { CountActive } from '../domain/users/active.ts'
import type { Passwords } from '../domain/users/password.ts'
import type { WebhookHistories } from '../domain/webhooks/history.ts'
import type { RateLimiter } from '../http/rate-limit.ts'
import type { ClientDocuments } from '../oidc/client-documents.ts'
import type { Issuers } from '../oidc/issuer.ts'
import type { KeyPool } from '../oidc/key-pool.ts'
import type { IsFirstVerdict } from '../oidc/validation-notes.ts'
import type { Root } from '../setup/root.ts'

export interface Services extends Deployment {
  readonly issuers: Issuers
  readonly client_documents: ClientDocuments
  readonly keys: KeyStore
  readonly key_pool: KeyPool
  readonly limiter: RateLimiter
  readonly passwords: Passwords
  readonly root: Root
  readonly verifyLog: VerifyTenantLog
  readonly scanApplications: ScanApplications
  readonly countActive: CountActive
  readonly isFirstVerdict: IsFirstVerdict
  readonly upstreams: Upstreams
  readonly plan_turns: PlanTurns
  readonly slices: Slices
  readonly webhook_histories: WebhookHistories
}
