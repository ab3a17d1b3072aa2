/**
 * No statement about one user, one account or one token reads what the rest of its environment has. Each engine would do so in its own
 * way. SQLite enters any index that begins with the environment, for an `order by`, a `group by` or a list of values. PostgreSQL does where
 * a statement was prepared before its tables had statistics (decision 0010).
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { EnvironmentId, GrantId, SessionId, UserId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { default_limits } from '../src/base/config/limits.ts'
import { indexes_without_marks } from '../src/db/citus/placement.ts'
import { createDb, type Db, identifiers, join as joined, type Result, rowOf, rowsOf, type Statement, sql } from '../src/db/db.ts'
import { withoutMarks } from '../src/db/environment.ts'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres/postgres.ts'
import { openSqlite } from '../src/db/sqlite/sqlite.ts'
import { callsAbout } from '../src/deployment/refused-calls/store.ts'
import { findMethod, listMethods, removeAllMethods, userKeepsWayIn, waysIn } from '../src/domain/accounts/methods.ts'
import * as metadata_clients from '../src/domain/metadata-clients/store.ts'
import * as organization_counts from '../src/domain/organizations/counts.ts'
import type { MemberRole } from '../src/domain/organizations/giving.ts'
import * as invitations from '../src/domain/organizations/invitations.ts'
import * as joining from '../src/domain/organizations/joining.ts'
import * as members from '../src/domain/organizations/members.ts'
import * as memberships from '../src/domain/organizations/memberships.ts'
import * as organizations from '../src/domain/organizations/store.ts'
import { findPasskey, findUsersWithPasskey, insertPasskey, listPasskeys, removeAllPasskeys } from '../src/domain/passkeys/store.ts'
import { hasGrants } from '../src/domain/promotions/usage.ts'
import { findIdentity, findUpstreamSession } from '../src/domain/providers/store.ts'
import { findOwnedScopes } from '../src/domain/resource-servers/store.ts'
import { countPeople } from '../src/domain/roles/people.ts'
import * as account_lists from '../src/domain/sessions/account-lists.ts'
import * as authorization_codes from '../src/domain/sessions/authorization-codes.ts'
import { enqueueBackchannelLogouts } from '../src/domain/sessions/backchannel-logouts.ts'
import * as bounds from '../src/domain/sessions/bounds.ts'
import * as consents from '../src/domain/sessions/consents.ts'
import { disconnectApplication } from '../src/domain/sessions/disconnect.ts'
import { rows_at_once, walks } from '../src/domain/sessions/early-ends.ts'
import { findEndings, nextSlice } from '../src/domain/sessions/ending-slices.ts'
import * as endings from '../src/domain/sessions/endings.ts'
import * as grant_bounds from '../src/domain/sessions/grant-bounds.ts'
import * as grant_search from '../src/domain/sessions/grant-search.ts'
import * as visits from '../src/domain/sessions/grant-visits.ts'
import * as grants from '../src/domain/sessions/grants.ts'
import { findHalfSignIn } from '../src/domain/sessions/half-sign-ins.ts'
import * as opaque_tokens from '../src/domain/sessions/opaque-tokens.ts'
import { removeChains } from '../src/domain/sessions/refresh-chains.ts'
import * as refresh_tokens from '../src/domain/sessions/refresh-tokens.ts'
import { findSessionRecord, listSessionRecords } from '../src/domain/sessions/session-records.ts'
import * as sessions from '../src/domain/sessions/sessions.ts'
import { numberOfRow } from '../src/domain/sessions/standing.ts'
import { findActivity } from '../src/domain/usage/activity.ts'
import * as impact from '../src/domain/usage/impact.ts'
import * as attempts from '../src/domain/users/attempts.ts'
import { findHashFrom } from '../src/domain/users/decoys.ts'
import { findEmailChange } from '../src/domain/users/email-changes.ts'
import * as codes from '../src/domain/users/mailed-codes.ts'
import { findHolders, setRoles } from '../src/domain/users/roles.ts'
import * as factors from '../src/domain/users/second-factors.ts'
import {
  closeUser,
  decideApproval,
  deleteUser,
  findClosed,
  findCredential,
  findNamesOf,
  findUnapproved,
  findUser,
  findUsers,
  holdDue,
  isNameTaken,
  reopenUser,
  takeName,
  type UserRow,
} from '../src/domain/users/store.ts'
import { findBySub, findSubject, isSubTaken, takeSub } from '../src/domain/users/sub.ts'
import * as trusted_browsers from '../src/domain/users/trusted-browsers.ts'
import {
  countToResend,
  deleteMessages,
  deleteWebhook,
  findMessages,
  listDeliveries,
  sendAllAgain,
  type WebhookRow,
} from '../src/domain/webhooks/store.ts'
import { onlyMethods } from './support/db-methods.ts'
import { environment_rows, run } from './support/plain-batch.ts'
import { freshDatabase, noPostgres, runCommand, without_autovacuum } from './support/postgres.ts'

const Numbered = z.object({ number: z.int() })
const environment_id = 'e' as EnvironmentId // as: ids of this test
const [id, other] = ['7', '8']
const [user_id, session_id, grant_id] = [id as UserId, id as SessionId, id as GrantId] // as: ids of this test
const now = new Date(1)
const many = Array.from({ length: 200 }, (_, n) => String(n + 1))
const more = many.map((each) => String(200 + Number(each)))
/** All sessions and grants of this test are over by then, and their chains. */
const later = new Date(10 * 86_400_000)
const over = (is_chained: boolean, ids: readonly string[]) => ids.map((each) => ({ environment_id, id: each, is_over: true, is_chained }))
const user = { environment_id, id: user_id, version: 1 } as UserRow // as: what `deleteUser` reads
const webhook = user as unknown as WebhookRow // as: what these deletions read
let origins = 0
const origin = () => ({ id: `evt_${String(++origins).padEnd(26, '0')}`, actor: { type: 'system', id: null }, request_id: null }) as const
const session = {
  id: session_id,
  user_id,
  token_hash: id,
  auth_time: now,
  amr: [],
  acr: '',
  began_with: id,
  grant_count: 0,
  offline_count: 0,
}
const place = { environment_id, user_id, session_id, application_id: id }
const member = { environment_id, organization_id: id, user_id: id, version: 1 } as members.MemberRow // as: what changes of members read
const organization = { environment_id, id, version: 1, disabled: false } as organizations.OrganizationRow // as: what changes read
const invitation = {
  ...{
    environment_id,
    organization_id: id,
    id,
    email: id,
    role_ids: [id],
    application_id: null,
    is_mailed: true,
    lifetime_seconds: 1,
    version: 1,
  },
  ...{ inviter_type: 'user', inviter_id: id, inviter_membership: 7 },
} as unknown as invitations.InvitationRow // as: what changes of invitations read
const new_link = { token_hash: id, expires_at: now }
const judged = {
  ...{ environment_id, organization_id: id, inviter_id: id, inviter_membership: 7, inviter_version: 1, may_not_let_in: [] },
  roles: [{ id, version: 1 }] as unknown as MemberRole[], // as: what the guard reads
}
const offer = {
  ...{ environment_id, organization_id: id, organization_name: id, id, email: id, email_key: id, application_id: null, version: 1 },
  ...{ roles: [], inviter: null, judged },
} satisfies joining.OpenOffer
const of_organization = { organization_id: id, role: undefined }
const raised = {
  ...session,
  upstream: { provider_id: id, sid: id, id_token: '' },
  trusted_browser_id: id,
  ip: null,
  user_agent: null,
  expires_at: now,
  absolute_expires_at: now,
}
const trust_rule = { remember_days: 30, now }
const ending = {
  environment_id,
  subject: id,
  number: 1,
  user_id,
  ended_by: '',
  cause: { origin: origin(), trace: null },
  reason: null,
  position: '',
  slices: 0,
  created_at: now,
}
const code = {
  code_hash: 'new',
  client_id: id,
  consented_to: ['openid'],
  organization: null,
  redirect_uri: '',
  scope: '',
  resource: [],
  nonce: null,
  code_challenge: null,
  expires_at: now,
  session_expires_at: now,
  grants_per_person: 100,
}
const chain = { number: 2, digest: 'new', salt: null, issued_at: now, expires_at: now }
const tokens = { opaque: null, last_expires_at: now }
const spent = { grant_id, grant_expires_at: now, code_hash: id } as authorization_codes.AuthorizationCodeRow // as: what spending reads
const rotated = { grant: spent, spent: { number: 1, digest: id }, next: chain }
const attempt = { environment_id, account: id, source: id, device: null, now }
const asked = { kind: 'sign_in', account: id, browser: id, source: id, is_known: false, user_id, code_mac: null, link_hash: 'new' } as const
const code_row = { ...asked, id, sealed: '', expires_at: now }
const passkey = {
  id: 'new',
  user_id,
  credential_id: 'new',
  public_key: '',
  counter: 0,
  backup_eligible: false,
  backed_up: false,
  transports: [],
  name: '',
  is_factor: true,
}
const ways = { password: true, email_code: true, passkey: true }
/** The first page of a list, and a later one. */
const first_page = sql`order by id desc limit 21`
const next_page = sql`and id < ${id} order by id desc limit 21`

type Use = [what: string, sent: (db: Db) => Promise<unknown> | (() => unknown) | Statement | Statement[], most_rows?: number]

// biome-ignore format: this table is read by column
const uses: Use[] = [
  ['20 names of scopes',                     (db) => findOwnedScopes(db, environment_id, many.slice(0, 20)), 40],
  ['a code',                                 (db) => authorization_codes.findCode(db, environment_id, id)],
  ['a refresh token of a chain',             (db) => refresh_tokens.findChain(db, environment_id, id)],
  ['the grant of an access token',           (db) => grants.findLiveGrant(db, environment_id, id, 'none')],
  ['the state of a grant',                   (db) => grants.findGrantState(db, environment_id, id, 'none')],
  ['the number of a method with a row',      (db) => db.all(Numbered, numberOfRow(environment_id, id))],
  ['an opaque access token',                 (db) => opaque_tokens.findOpaqueToken(db, environment_id, id)],
  ['the redemption of a code',               (db) => authorization_codes.redeemCode(db, environment_id, spent, { attempt: 'x', chain, tokens })],
  ['the rotation of a chain',                (db) => refresh_tokens.spendRefreshToken(db, environment_id, rotated, tokens)],
  ['removed chains',                         () => removeChains(environment_id, [id, other])],
  ['the grants of a user',                   (db) => grants.listGrants(db, { environment_id, id }, now, first_page)],
  ['more grants of a user',                  (db) => grants.listGrants(db, { environment_id, id }, now, next_page)],
  ['the end of everything at an application', () => disconnectApplication(environment_id, { user_id, application_id: other, organization_id: null, grant_id: id }, origin(), now)],
  ['the end of everything in an organization', () => disconnectApplication(environment_id, { user_id, application_id: other, organization_id: id, grant_id: id }, origin(), now)],
  ['the sessions of a browser',              (db) => sessions.findSessions(db, environment_id, [id, other])],
  ['a session',                              (db) => findSessionRecord(db, environment_id, id, now)],
  ['the sessions of a user',                 (db) => listSessionRecords(db, { environment_id, id }, now, first_page)],
  ['more sessions of a user',                (db) => listSessionRecords(db, { environment_id, id }, now, next_page)],
  ['a renewed session',                      () => sessions.renewSession(environment_id, raised, sql`1 = 1`, now)],
  ['the end of a session',                   () => sessions.endSession(environment_id, id, { reason: 'signed_out', origin: origin() }, now)],
  ['the end of everything of a user',        () => endings.endEverything(environment_id, id, { by: '' }, now)],
  ['the end of what began with a method',    () => endings.endBegunWith(environment_id, id, id, now)],
  ['the end of the consents of a user',      () => endings.endConsents(environment_id, id, now)],
  ['the end of the other sessions',          () => endings.endEverythingElse(environment_id, session, { by: 'ended_by_person', origin: origin() }, now)],
  ['a session of the account page',          () => sessions.holdSession(environment_id, session, now)],
  ['a new session',                          () => sessions.insertSession(environment_id, { ...raised, id: 'new' as SessionId, token_hash: 'new' }, sql`1 = 1`, now)], // as: an id of this test
  ['a new code',                             (db) => authorization_codes.storeCode(db, { environment_id, ...session }, { ...code, grant_id: 'new' as GrantId }, now)], // as: an id of this test
  ['a new code for an organization',         (db) => authorization_codes.storeCode(db, { environment_id, ...session }, { ...code, organization: { organization_id: id, membership: 1 }, grant_id: 'new' as GrantId }, now)], // as: an id of this test
  ['whether an application has grants',      (db) => hasGrants(db, environment_id, id)],
  ['the activity of an application',         (db) => findActivity(db, environment_id, id, now), 100],
  ['the live grants of an application',      (db) => impact.countGrantsOfApplication(db, environment_id, id, now), 100],
  ['the live grants of a provider',          (db) => impact.countGrantsOfProvider(db, environment_id, id, now), 100],
  ['the people of a provider',               (db) => impact.countPeopleOfProvider(db, environment_id, id), 100],
  ['the uses of 30 days',                    (db) => impact.countUses(db, environment_id, { metric: 'key_use', label: id }, now)],
  ['the refused calls of a person',          (db) => callsAbout(db, environment_id, { user_id: id, person: id }, { since: now, limit: 201 })],
  ['the locks of an account',                (db) => attempts.findLocks(db, { environment_id, account: id, user_id: id, now }, { max_attempts: 1, duration_seconds: 1 }), 100],
  ['the codes that were asked for',          (db) => codes.listAsked(db, environment_id, id, now), 100],
  ['a disabled application',                 () => endings.endDisabled(environment_id, 'application', id, now)],
  ['the logouts of 50 sessions',             () => enqueueBackchannelLogouts(environment_id, many.slice(0, 50), now)],
  ['the endings whose rows follow',          (db) => findEndings(db, 5, now)],
  ...endings.ending_kinds.flatMap((kind) =>
    [0, 1].map((slices): Use => [`the rows of an ending: ${kind} after ${slices}`, async (db) => (await nextSlice(db, { ...ending, kind, slices }, now))?.statements ?? []]),
  ),
  ['the consents of the users of a browser', (db) => consents.findConsents(db, environment_id, id, [id, other].map((user_id) => ({ user_id, organization: null })))],
  ['the consent of a member',                (db) => consents.findConsents(db, environment_id, id, [{ user_id: id, organization: { organization_id: id, membership: 1 } }])],
  ['the consents of a user in organizations', (db) => consents.findMemberConsents(db, environment_id, id, [id, other])],
  ['a metadata client and its people',       (db) => metadata_clients.findMetadataClient(db, environment_id, id), 100],
  ['metadata clients and their people',      (db) => metadata_clients.listMetadataClients(db, environment_id, id, sql`order by created_at desc, id desc limit 21`), 100],
  ['the end of a consent',                   () => consents.revokeConsent(environment_id, { user_id, application_id: id, organization_id: null }, origin(), now)],
  ['the membership of a user',               (db) => memberships.findMembershipIn(db, { environment_id, id }, 'org_1')],
  ['the membership of a user by a slug',     (db) => memberships.findMembershipIn(db, { environment_id, id }, 'acme')],
  ['whether a user has several organizations', (db) => memberships.findTwoMemberships(db, { environment_id, id })],
  ['the organizations that a person can choose', (db) => memberships.listMemberships(db, { environment_id, id }, { words: 'a', from: 0, limit: 50 })],
  ['the applications of a user',             (db) => account_lists.listConnected(db, environment_id, id, now)],
  ['the scopes of a user',                   (db) => account_lists.listGrantedScopes(db, environment_id, { user_id: id, application_id: id }, now)],
  ['the sessions of the account page',       (db) => account_lists.listLatestSessions(db, { environment_id, ...session }, 100, now)],
  ['the sessions that are too many',         (db) => bounds.findUnseen(db, { environment_id, id }, { limit: 5, added: 1, most: 10 }, now)],
  ['the end of sessions that are too many',  () => bounds.endUnseen(environment_id, [id, other], origin(), now)],
  ['the room for a session',                 () => bounds.hasRoomForSession(environment_id, id, 5, now)],
  ['the grants of a session that are too many', (db) => grant_search.findReplaced(db, { ...place, is_offline: false }, { limit: 5, added: 1, most: 10 }, now)],
  ['the grants of a person that are too many', (db) => grant_search.findReplaced(db, { ...place, is_offline: true }, { limit: 5, added: 1, most: 10 }, now)],
  ['one grant of a session that is too many', () => [...grant_bounds.replacingOne({ ...place, is_offline: false }, 5, { except: 'new', ended: [{ id, code_hash: id }] }, now).replace]],
  ['one grant of a person that is too many', () => [...grant_bounds.replacingOne({ ...place, is_offline: true }, 5, { except: 'new', ended: [] }, now).replace]],
  ['the grants of a session that ended',     (db) => grant_bounds.findEnded(db, { ...place, is_offline: false }, 5)],
  ['a visited grant',                        () => visits.visitAgain(environment_id, [{ id } as visits.DueGrant], 1, now)], // as: what the statement reads
  ['the consents of a user',                 (db) => consents.listConsents(db, environment_id, id, { after: '', limit: 100 })],
  ['a half sign-in',                         (db) => findHalfSignIn(db, environment_id, id, now)],
  ['a user',                                 (db) => findUser(db, environment_id, id)],
  ['the user with a sub',                    (db) => findBySub(db, environment_id, id)],
  ['whether a sub is taken',                 (db) => isSubTaken(db, environment_id, id)],
  ['a sub that a user gets',                 () => takeSub({ environment_id, id }, 'other')],
  ['the person of a hint',                   (db) => findSubject(db, { environment_id, id })],
  ['the user of a grant',                    (db) => grants.findGrantOwner(db, environment_id, id)],
  ['some users',                             (db) => findUsers(db, environment_id, [id, other])],
  ['whether a user is approved',             (db) => findUnapproved(db, environment_id, id)],
  ['whether a user is closed',               (db) => findClosed(db, environment_id, id, now)],
  ['a user who is approved',                 () => decideApproval(user, 'approved', now)],
  ['a user who is closed',                   () => closeUser(user, now, now)],
  ['a user who is restored',                 () => reopenUser({ environment_id, id }, now)],
  ['a user who is to be erased',             () => holdDue({ environment_id, id }, now)],
  ['the users with a role',                  (db) => findHolders(db, environment_id, id, { last: null, limit: 21 }), 100],
  ['more users with a role',                 (db) => findHolders(db, environment_id, id, { last: id, limit: 21 }), 100],
  ['the names of some users',                (db) => findNamesOf(db, environment_id, [id, other])],
  ['the roles that a user gets',             () => setRoles({ environment_id, id }, [id, other])],
  ['an organization',                        (db) => organizations.findOrganization(db, environment_id, id)],
  ['some organizations',                     (db) => organizations.findOrganizations(db, environment_id, [id, other])],
  ['an organization by its slug',            (db) => organizations.listOrganizations(db, environment_id, { slug: id, external_id: undefined }, { last: null, limit: 21 })],
  ['an organization by its external id',     (db) => organizations.listOrganizations(db, environment_id, { slug: undefined, external_id: id }, { last: id, limit: 21 })],
  ['the organization with an external id',   (db) => organizations.findByExternalId(db, environment_id, id)],
  ['a change of an organization',            () => organizations.updateOrganization(organization, { external_id: other, name: '', metadata: {}, claims: {}, disabled: true }, now)],
  ['a deleted organization',                 () => organizations.deleteOrganization(organization).slice(1)], // the first is of the one row of the environment
  ['a member',                               (db) => members.findMember(db, member)],
  ['some members',                           (db) => members.findMembers(db, environment_id, id, [id, other]), 100],
  ['the members of an organization',         (db) => members.listMembers(db, environment_id, of_organization, { last: null, limit: 21 }), 100],
  ['more members of an organization',        (db) => members.listMembers(db, environment_id, of_organization, { last: '7', limit: 21 }), 100],
  ['the members with a role',                (db) => members.listMembers(db, environment_id, { ...of_organization, role: id }, { last: '7', limit: 21 }), 100],
  ['the names of members',                   (db) => members.findMemberNames(db, environment_id, of_organization, { last: '7', limit: 500 }), 100],
  ['the names of members with a role',       (db) => members.findMemberNames(db, environment_id, { ...of_organization, role: id }, { last: '7', limit: 500 }), 100],
  ['the users whom a role concerns',         (db) => countPeople(db, { environment_id, kind: 'user', id }, () => 0), 100],
  ['the members whom a role concerns',       (db) => countPeople(db, { environment_id, kind: 'organization', id }, () => 0), 100],
  ['the organizations of a user',            (db) => members.listOrganizationsOf(db, environment_id, id, { last: id, limit: 21 }), 100],
  ['a member who is added',                  () => [organization_counts.countForUser(member, 5), ...members.addMember({ ...member, user_id: 'new' }, [id, other], { most: 5, now })]],
  ['the roles that a member gets',           () => members.setMemberRoles(member, [id, other], now)],
  ['a member who is removed',                () => members.removeMember(member, now)],
  ['an invitation to an organization',       (db) => invitations.findInvitation(db, environment_id, { organization_id: id, id }, now)],
  ['the invitations to an organization',     (db) => invitations.listInvitations(db, environment_id, { organization_id: id, status: 'pending' }, { last: id, limit: 21, now }), 100],
  ['the invitation that is replaced',        (db) => invitations.findOpenTo(db, environment_id, { organization_id: id, email: id }, now)],
  ['the invitations to an address',          (db) => invitations.findInvitationsTo(db, environment_id, id, now), 100],
  ['an invitation that is sent',             () => invitations.insertInvitation(invitation, { replaced: invitation, link: new_link, limits: default_limits, now })],
  ['an invitation that is sent again',       () => invitations.replaceLink(invitation, new_link, default_limits, now)],
  ['an invitation that ends',                () => invitations.endInvitation(invitation, 'deleted', now)],
  ['the limit of invitations',               (db) => invitations.findReached(db, invitation, { is_new: true, limits: default_limits, now }), 100],
  ['the invitation of a link',               (db) => joining.findOfferByLink({ db, memberRoles: async () => new Map() }, environment_id, id, now)],
  ['an invitation that is accepted',         () => joining.acceptOffer(offer, { user_id: id, token_hash: id, limits: default_limits, now })],
  ['an invitation that is declined',         () => joining.declineOffer(offer, now)],
  ['the memberships of a user',              (db) => members.listMembershipsOf(db, environment_id, id, { last: null, limit: 100 }), 100],
  ['the roles that a member was given',      (db) => members.findRoleIds(db, member)],
  ['rows of a user without organizations',   (db) => organization_counts.settleUser(db, environment_id, id), 100],
  ['rows of an organization without users',  (db) => organization_counts.settleOrganization(db, environment_id, id), 100],
  ['the credential of an address',           (db) => findCredential(db, environment_id, id)],
  ['the hash in place of one',               (db) => findHashFrom(db, environment_id, id)],
  ['a change of the address',                (db) => findEmailChange(db, environment_id, id, now)],
  ['the sessions of a session at a provider', (db) => sessions.findSessionsAtProvider(db, environment_id, { provider_id: id, sid: id, identity: null }, 20)],
  ['the sessions of a person of a provider',  (db) => sessions.findSessionsAtProvider(db, environment_id, { provider_id: id, sid: null, identity: { id, user_id } }, 20)],
  ['the provider of a sign-out',             (db) => findUpstreamSession(db, environment_id, [id, other])],
  ['a user name that is taken',              (db) => isNameTaken(db, environment_id, id)],
  ['a user name that is given',              () => takeName({ environment_id, id }, other)],
  ['the user of an identity',                (db) => findIdentity(db, environment_id, { provider_id: id, issuer: id, subject: id })],
  ['the methods of a user',                  (db) => listMethods(db, environment_id, id, first_page)],
  ['more methods of a user',                 (db) => listMethods(db, environment_id, id, next_page)],
  ['a method of a user',                     (db) => findMethod(db, environment_id, id, id)],
  ['the ways in of a user',                  (db) => waysIn(db, { environment_id, id }, ways, { password: '', email_code: '', passkey: '' })],
  ['the last way in of a user',              () => userKeepsWayIn(environment_id, id, id, ways)],
  ['the authenticator apps of a user',       (db) => factors.findTotps(db, environment_id, id)],
  ['the users with a second factor',         (db) => factors.findUsersWithSecondFactor(db, environment_id, [id, other])],
  ['the last second factor of a user',       () => factors.keepsSecondFactor(environment_id, id, id)],
  ['the first second factor of a user',      () => factors.hasNoSecondFactor(environment_id, id)],
  ['the unused recovery codes of a user',    (db) => factors.countRecoveryCodes(db, environment_id, id)],
  ['a removed app',                          () => factors.removeTotp(environment_id, id, id)],
  ['removed recovery codes',                 () => factors.removeRecoveryCodes(environment_id, id, id)],
  ['a passkey',                              (db) => findPasskey(db, environment_id, id)],
  ['the trusted browser of a secret',        (db) => trusted_browsers.findTrusted(db, { environment_id, id }, id, trust_rule)],
  ['the trusted browsers of a user',         (db) => trusted_browsers.listTrusted(db, { environment_id, id }, trust_rule, first_page)],
  ['a trusted browser of a user',            (db) => trusted_browsers.findTrustedById(db, { environment_id, id }, id)],
  ['a new trusted browser',                  () => trusted_browsers.insertTrusted({ environment_id, id }, { id: 'new', secret_hash: 'new', replaces: id, ip: null, user_agent: null }, trust_rule)],
  ['a sign-in in a trusted browser',         () => trusted_browsers.useTrusted({ environment_id, id }, id, trust_rule)],
  ['a trusted browser that goes',            () => trusted_browsers.removeTrusted({ environment_id, id }, id)],
  ['the trusted browsers of changed factors', () => trusted_browsers.removeAllTrusted(environment_id, id)],
  ['the passkeys of a user',                 (db) => listPasskeys(db, environment_id, id)],
  ['the users with a passkey',               (db) => findUsersWithPasskey(db, environment_id, [id, other])],
  ['a new passkey',                          () => insertPasskey(environment_id, passkey, [], now)],
  ['a refused password',                     (db) => attempts.takeAttempt(db, attempt, { max_attempts: 1, duration_seconds: 1 })],
  ['a refused password in a known browser',  (db) => attempts.takeAttempt(db, { ...attempt, device: id }, { max_attempts: 1, duration_seconds: 1 })],
  ['a refused source',                       (db) => attempts.takeFromSource(db, 'passkey', attempt)],
  ['a refused person',                       (db) => attempts.hasRoomForPerson(db, 'notice', { environment_id, user_id, now })],
  ['a refused second factor',                (db) => attempts.waitForSecondFactor(db, { environment_id, user_id, now })],
  ['an accepted password',                   () => attempts.giveBack(attempt)],
  ['a mailed code',                          () => codes.insertCode(environment_id, { ...code_row, id: 'new' }, now)],
  ['the mailed code of a browser',           (db) => codes.findCodeOfBrowser(db, environment_id, asked, now)],
  ['the mailed code of a user',              (db) => codes.findCodeOfUser(db, environment_id, asked, now)],
  ['the code of a link',                     (db) => codes.findCodeOfLink(db, environment_id, id, now)],
  ['a try of a mailed code',                 () => codes.countCodeTry(environment_id, code_row, now)],
  ['the end of the codes of a user',         () => codes.endCodesOf(environment_id, id, now)],
  ['the messages of a webhook',              (db) => findMessages(db, webhook, 200, '1')],
  ['200 deleted messages',                   () => deleteMessages(webhook, many)],
  ['a deleted webhook',                      () => deleteWebhook(webhook)],
  ['the deliveries of a webhook',            (db) => listDeliveries(db, { environment_id, id }, {}, first_page)],
  ['the deliveries to send again',           (db) => countToResend(db, { environment_id, id }, { since: new Date(0), until: null, status: 'all' }, 500)],
  ['the refused deliveries to send again',   (db) => countToResend(db, { environment_id, id }, { since: new Date(0), until: now, status: 'given_up' }, 500)],
  ['the deliveries that are sent again',     () => sendAllAgain(environment_id, id, { since: new Date(0), until: null, status: 'given_up', newest: id, messages: 1 }, now)],
  ['the passkeys of a deleted user',         () => removeAllPasskeys(environment_id, id, now)],
  ['the methods of a deleted user',          () => removeAllMethods(environment_id, id, now)],
  ['a deleted user',                         () => deleteUser(user)],
  ['the next sessions of a walk',            (db) => walks.sessions.find(db, { environment_id: '', id: '' }, later), 2 * rows_at_once],
  ['the next grants of a walk',              (db) => walks.grants.find(db, { environment_id: '', id: '' }, later), 5 * rows_at_once],
  ['two sessions that are over',             () => walks.sessions.remove(environment_id, over(false, [id, other]), later)],
  ['two grants that are over',               () => walks.grants.remove(environment_id, [...over(true, [id]), ...over(false, [other])], later)],
  ['200 sessions that are over',             () => walks.sessions.remove(environment_id, over(false, many), later)],
  ['200 grants that are over',               () => walks.grants.remove(environment_id, [...over(true, many), ...over(false, more)], later)],
]

/** The statements that a use sends. Each finds nothing, and no batch takes effect. */
async function statementsOf([, send]: Use): Promise<Statement[]> {
  const sent: Statement[] = []
  const note = (answer: unknown) => (_: unknown, statement: Statement) => {
    sent.push(statement)
    return Promise.resolve(answer)
  }
  const batch = (statements: readonly Statement[]) => {
    sent.push(...statements)
    return Promise.resolve(null)
  }
  const recording = { all: note([]), maybeOne: note(null), batch, batchLater: (all: readonly Statement[]) => () => batch(all) }
  const made = await send(onlyMethods(recording))
  if (typeof made === 'function') await made()
  else if (isStatement(made)) sent.push(made)
  else if (Array.isArray(made) && made.every(isStatement)) sent.push(...made)
  assert.ok(sent.length > 0)
  return sent
}

const isStatement = (value: unknown): value is Statement => typeof value === 'object' && value !== null && 'parts' in value

const folder = mkdtempSync(join(tmpdir(), 'ostiary-plans-'))
const embedded = createDb(openSqlite(join(folder, 'ostiary.db')))
before(() => migrate(embedded))
after(async () => {
  await embedded.close()
  rmSync(folder, { recursive: true, force: true })
})

const Step = z.object({ detail: z.string() })
/** Subqueries, whose rows come from a table that has a step of its own. */
const subqueries =
  /^SCAN (CONSTANT ROW|endings USING INDEX|\d+-ROW VALUES|listed|used|placed|found|newest|oldest|others|given|kept|people|alone|in_organizations|present|held|removed|\(subquery-\d+\)|every_use|ended|factors|resent|counted|live|slice|next|first)(?!\w)/
/** Reads what a quota bounds for each environment. */
const bounded = /^SEARCH namesakes USING INDEX providers_by_slug /
/** A full-text table reads the row of one `rowid`. */
const by_rowid = /^SCAN user_words VIRTUAL TABLE INDEX 0:=$/
const wide = /^SCAN |\(environment_id=\?( AND \w+[<>]\?)*\)/

for (const use of uses)
  test(`SQLite sends for ${use[0]} no statement that reads an index by the environment alone`, async () => {
    for (const statement of await statementsOf(use)) {
      const steps = rowsOf(Step, (await run(embedded, sql`explain query plan ${statement}`))?.[0]).map(({ detail }) => detail)
      assert.deepEqual(
        steps.filter((step) => wide.test(step) && !subqueries.test(step) && !bounded.test(step) && !by_rowid.test(step)),
        [],
        statement.parts.join('?'),
      )
    }
  })

const Column = z.object({ table_name: z.string(), column_name: z.string(), data_type: z.string() })
const Fetched = z.object({ fetched: z.int() })
const fetchedBy = (result: Result | undefined): number => rowOf(Fetched, result)?.fetched ?? Number.NaN
const rows_of_a_table = 3_000
/** An environment has a few of each, or as many as its quota. */
const configuration = new Set(['providers', 'webhooks', 'metadata_clients'])

// The server chooses a plan during the first executions of a statement and keeps it until the table is analysed.
for (const state of [
  'prepared on empty tables',
  'with statistics',
  'vacuumed',
  'with statistics and without marks, as on a distributed database',
] as const)
  test(`PostgreSQL reads a few rows for each statement, ${state}`, { skip: noPostgres }, async () => {
    const url = await freshDatabase()
    // One connection prepares fewer statements than there are here, and would forget the plans of the first ones.
    const connections = Array.from({ length: 2 }, () => createDb(openPostgres(url, { connections: 1 })))
    after(() => Promise.all(connections.map((each) => each.close())))
    const [db = assert.fail()] = connections
    await migrate(db)
    await runCommand(url, without_autovacuum)
    const is_empty = state === 'prepared on empty tables'
    const is_distributed = state.endsWith('distributed database')
    if (is_distributed)
      for (const [index, create] of Object.entries(indexes_without_marks)) await runCommand(url, `drop index ${index}; ${create}`)
    const sent = await Promise.all(
      uses.map(async (use) => (await statementsOf(use)).map((statement) => ({ statement, most: use[2] ?? 10 * statement.values.length }))),
    )
    const asked = sent
      .flat()
      .filter(({ statement }) => !isInsertOfValues(statement) && !(is_empty && isLong(statement)))
      .map(({ statement, most }, n) => ({
        on: connections[n % connections.length] ?? db,
        statement: is_distributed ? { ...statement, parts: withoutMarks(statement.parts) } : statement,
        most,
      }))
    for (const { on, statement } of asked) for (let time = 0; time < 10; time++) await run(on, statement)

    await fill(db)
    if (!is_empty) await runCommand(url, state === 'vacuumed' ? 'vacuum analyze' : 'analyze')
    const rows_read = sql`select coalesce(sum(idx_tup_fetch + seq_tup_read), 0) as fetched from pg_stat_xact_user_tables`
    const wide: string[] = []
    for (const { on, statement, most } of asked) {
      const [before, , after] = (await run(on, rows_read, statement, rows_read)) ?? []
      const fetched = fetchedBy(after) - fetchedBy(before)
      if (fetched > most) wide.push(`${fetched} rows by ${statement.parts.join('?')}`)
    }
    assert.deepEqual(wide, [])
  })

/** A long list is first sent where there are many rows. */
const isLong = ({ values }: Statement) => values.length > 100

/** It reads nothing. */
const isInsertOfValues = ({ parts }: Statement) => /\bvalues\s*\(/.test(parts[0] ?? '')

/** Gives every table of environments many rows. The first has `1` in every column of text but the environment, the second `2`. */
async function fill(db: Db): Promise<void> {
  await run(db, ...environment_rows)
  const columns = await db.all(
    Column,
    sql`select table_name, column_name, data_type from information_schema.columns c
         where table_schema = 'public' and table_name <> 'environments'
           and (data_type = 'text' or column_name = 'sequence' or (is_nullable = 'NO' and column_default is null))
           and exists (select 1 from information_schema.columns e where e.table_name = c.table_name and e.column_name = 'environment_id')`,
  )
  for (const [table, of_table] of Map.groupBy(columns, ({ table_name }) => table_name)) {
    const names = of_table.map(({ column_name }) => column_name)
    const values = of_table.map(({ column_name, data_type }) =>
      column_name === 'environment_id'
        ? sql`'e'`
        : column_name === 'tenant_id'
          ? sql`'t'`
          : column_name === 'sequence'
            ? sql`n`
            : data_type === 'text'
              ? sql`cast(n as text)`
              : data_type === 'ARRAY'
                ? sql`'{}'`
                : sql`0`,
    )
    await run(
      db,
      sql`insert into ${identifiers(table)} (${identifiers(...names)})
        select ${joined(values, ', ')} from generate_series(1, ${configuration.has(table) ? 20 : rows_of_a_table}) as n on conflict do nothing`,
    )
  }
}
