/** A button about organizations that is pressed twice ends as if it was pressed once (decision 0082). */
import assert from 'node:assert/strict'
import { openAccount } from '../support/account.ts'
import { authorizationRequest, createAgent, followPages } from '../support/cookie-browser.ts'
import { newestMail } from '../support/mailed.ts'
import { organizationsOf } from '../support/organizations.ts'
import { buttonOn, formOn, pressesOf, type Ready } from '../support/presses.ts'
import { createRoleWorld } from '../support/role-person.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_LIMITS: '{"organization_invitations_per_address":1000}' } })
const environment = w.test
await w.changeSettings(environment, { sign_in: { email_code: true } })
const { create, add, invite } = await organizationsOf(w, environment)
const roles = await createRoleWorld(w, environment)
const orders = await roles.createServer('orders', ['orders:read'])
const of_members = { kind: 'organization' }
const editor = await roles.createRole('editor', { orders: ['orders:read'] }, of_members)
const owner = await roles.createRole('owner', { orders: ['orders:read'] }, { ...of_members, administers: true })
const client = await w.createApplication(environment, {
  organizations: 'required',
  allowed_scopes: ['openid', 'orders:read'],
})
const { testForms } = await pressesOf(w)

let people = 0
const newAddress = () => `presses${++people}@example.com`
const account_url = `${environment.issuer}/account`

/** A person whose browser is signed in. */
async function person(fields: object = {}) {
  const user = await w.createUser(environment, { email: newAddress(), ...fields })
  const { agent } = await openAccount(environment, user)
  return { ...user, agent }
}
/** A person with organizations, in each of which they have these roles. */
async function memberOf(count: number, ...given: { slug: string }[]) {
  const member = await person()
  const organizations = []
  for (let n = 0; n < count; n++) {
    const organization = await create({ name: `Acme ${n}` })
    expectStatus(
      201,
      await add(
        organization.id,
        member.id,
        given.map(({ slug }) => slug),
      ),
    )
    organizations.push(organization)
  }
  const [first = assert.fail()] = organizations
  return { member, agent: member.agent, first }
}
const begin = async ({ agent }: Awaited<ReturnType<typeof person>>, change = {}) =>
  followPages(agent, await agent.get(authorizationRequest(environment, client, { scope: 'openid', ...change }).url))
const invited = async (email: string): Promise<string> =>
  expectStatus(201, await invite((await create()).id, email, { roles: ['editor'] })).invitation_url
/** The page of an organization, opened by a member who administers it. */
async function managed(query = '') {
  const { member, agent, first } = await memberOf(1, owner)
  const other = await person()
  expectStatus(201, await add(first.id, other.id))
  const page = await agent.get(`${environment.issuer}/organizations/${first.id}${query && `?member=${other.id}`}`)
  return { member, agent, first, page }
}

const forms: Record<string, Ready> = {
  'the choice of an organization': {
    async ready() {
      const { member, agent, first } = await memberOf(2)
      return formOn(agent, await begin(member), { organization: first.id })
    },
  },
  'the search for an organization': {
    async ready() {
      const { member, agent } = await memberOf(2)
      return formOn(agent, await begin(member), { search: '1', q: 'Acme' })
    },
  },
  'the way back to the app without access': {
    async ready() {
      const { member, agent } = await memberOf(1)
      return buttonOn(agent, await begin(member, { scope: 'openid orders:read', resource: orders.identifier }), 'cancel', {
        decision: 'back',
      })
    },
  },
  'the way from no access to another organization': {
    async ready() {
      const { member, agent, first } = await memberOf(2)
      const ask = { scope: 'openid orders:read', resource: orders.identifier, organization: first.id }
      return buttonOn(agent, await begin(member, ask), 'choose-organization', { decision: 'organizations' })
    },
  },
  'the acceptance of an invitation': {
    effect: { organization_members: 1 },
    async ready() {
      const { email, agent } = await person()
      return buttonOn(agent, await followPages(agent, await agent.get(await invited(email))), 'accept-invitation', { action: 'accept' })
    },
  },
  'the acceptance that mails a code': {
    effect: { captured_mails: 1 },
    async ready() {
      const agent = createAgent()
      return buttonOn(agent, await followPages(agent, await agent.get(await invited(newAddress()))), 'accept-invitation', {
        action: 'accept',
      })
    },
  },
  'the code of an invitation': {
    effect: { users: 1, organization_members: 1 },
    async ready() {
      const [agent, email] = [createAgent(), newAddress()]
      const page = await followPages(agent, await agent.get(await invited(email)))
      const asked = await followPages(agent, await agent.submit(page, { action: 'accept' }))
      return formOn(agent, asked, { code: (await newestMail(w, environment, email)).code ?? '' })
    },
  },
  'a wrong code of an invitation': {
    effect: { attempts: 1, organization_members: 0 },
    async ready() {
      const [agent, email] = [createAgent(), newAddress()]
      const page = await followPages(agent, await agent.get(await invited(email)))
      const asked = await followPages(agent, await agent.submit(page, { action: 'accept' }))
      const right = Number((await newestMail(w, environment, email)).code)
      return formOn(agent, asked, { code: String((right + 1) % 1_000_000).padStart(6, '0') })
    },
  },
  'the refusal of an invitation': {
    effect: { events: 1, organization_members: 0 },
    async ready() {
      const { email, agent } = await person()
      return buttonOn(agent, await followPages(agent, await agent.get(await invited(email))), 'decline-invitation', { action: 'decline' })
    },
  },
  'the acceptance of an invitation on the account page': {
    effect: { organization_members: 1 },
    async ready() {
      const { email, agent } = await person()
      await invited(email)
      return buttonOn(agent, await agent.get(account_url), 'accept-invitation', { decision: 'accept' })
    },
  },
  'the refusal of an invitation on the account page': {
    effect: { events: 1, organization_members: 0 },
    async ready() {
      const { email, agent } = await person()
      await invited(email)
      return buttonOn(agent, await agent.get(account_url), 'decline-invitation', { decision: 'decline' })
    },
  },
  'leaving an organization': {
    effect: { organization_members: -1 },
    async ready() {
      const { agent, first } = await memberOf(2)
      return buttonOn(agent, await agent.get(`${account_url}?action=leave-organization&id=${first.id}`), 'leave-organization')
    },
  },
  'an invitation by a member': {
    effect: { organization_invitations: 1, captured_mails: 1 },
    async ready() {
      const { agent, page } = await managed()
      return buttonOn(agent, page, 'invite', { action: 'invite', email: newAddress(), roles: editor.slug })
    },
  },
  'a change of the roles of a member': {
    effect: { organization_role_holders: 1 },
    async ready() {
      const { agent, page } = await managed('member')
      return buttonOn(agent, page, 'change-roles', { action: 'change-roles', roles: editor.slug })
    },
  },
  'the removal of a member': {
    effect: { organization_members: -1 },
    async ready() {
      const { agent, page } = await managed('member')
      return buttonOn(agent, page, 'remove-member', { action: 'remove-member' })
    },
  },
}
testForms(forms, environment)
