/**
 * The API of the demo, as an API of a product would be: it takes access tokens for its own address, asks what they give at each call, and needs a
 * scope. The role Viewer does not give the one that deletes. Its orders are always the same: nothing is stored, and nothing is deleted.
 */
import { reason } from '../base/reason.ts'
import { type Refusal, refusal } from '../base/refusal.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Missing } from '../http/service-routes.ts'
import { judgeToken } from '../oidc/introspection.ts'
import type { Issuers } from '../oidc/issuer.ts'
import { includesScope } from '../protocol/scope.ts'
import { findDemo } from '../setup/demo.ts'
import { deletes_orders, ordersApi, reads_orders } from '../setup/demo-access.ts'

export interface DemoAnswer {
  status: number
  headers: Record<string, string>
  body: string
  refusal?: Refusal
}

const orders = [
  { id: '1', item: 'Teapot' },
  { id: '2', item: 'Lantern' },
  { id: '3', item: 'Door knocker' },
]

/** @param order_id of the order to delete; `null` for the list */
export async function answerOrders(
  deployment: Deployment,
  issuers: Issuers,
  { authorization, order_id }: { authorization: string | undefined; order_id: string | null },
): Promise<DemoAnswer | Missing> {
  const demo = await findDemo(deployment)
  const issuer = demo && (await issuers.find(demo.environment_id))
  if (!issuer) return no_demo
  if (authorization === undefined) return refused(401, 'Bearer', refusal('invalid_token', reason`The call has no access token.`))
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization)?.[1] ?? ''
  const verdict = await judgeToken(deployment, issuers, issuer, token)
  if (!verdict.active || ![verdict.aud].flat().includes(ordersApi(deployment.config.base_url)))
    return refused(
      401,
      'Bearer error="invalid_token"',
      refusal('invalid_token', reason`The token is not one for the API of the demo, or not valid.`),
    )
  const needed = order_id === null ? reads_orders : deletes_orders
  if (!includesScope(verdict.scope ?? '', needed))
    return refused(
      403,
      `Bearer error="insufficient_scope", scope="${needed}"`,
      refusal('insufficient_scope', reason`The roles of the person do not give the scope that the call needs.`),
      { needs: needed, scope: verdict.scope ?? '', roles: verdict.roles },
    )
  if (order_id === null) return answer(200, { organization: verdict.org_id, roles: verdict.roles, orders })
  return orders.some(({ id }) => id === order_id) ? answer(200, { deleted: order_id, roles: verdict.roles }) : no_order
}

const answer = (status: number, body: object, headers: Record<string, string> = {}): DemoAnswer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(body),
})

/** RFC 6750 §3. */
const refused = (status: number, challenge: string, refusal: Refusal, more: object = {}): DemoAnswer => ({
  ...answer(status, { error: refusal.code, ...more }, { 'www-authenticate': challenge }),
  refusal,
})

const no_demo: Missing = {
  detail: 'This service has no demo. It comes with the first start by npm start.',
  why: reason`The deployment has no demo.`,
}
const no_order: Missing = { detail: 'The demo has no order with this id.', why: reason`The demo has no order with this id.` }
