/**
 * Lists the first reads of each page, by the factories that the page uses too. Other reads begin when the page is rendered. The file is a
 * chunk of its own, loaded in parallel with the person and the project.
 */
import { compared } from './frame/places.ts'
import type { Search } from './parts/search.ts'
import { applications, orderIn } from './queries/applications.ts'
import { auditFilter, auditLog } from './queries/audit-log.ts'
import { callFilter, callsOfEnvironment, callsOfTenant } from './queries/calls.ts'
import { configurations } from './queries/configurations.ts'
import { attention, inbox, logouts, rangeNamed, readiness, statistics } from './queries/environment.ts'
import { eventFilter } from './queries/event-filter.ts'
import { events } from './queries/events.ts'
import { environmentKeys, platformKeys } from './queries/keys.ts'
import { members } from './queries/members.ts'
import { invitationStatus, organizations } from './queries/organizations.ts'
import { promotionFilter, promotions } from './queries/promotions.ts'
import { providers } from './queries/providers.ts'
import { begin, beginList } from './queries/query.ts'
import { resourceServers } from './queries/resource-servers.ts'
import { roles } from './queries/roles.ts'
import { settings } from './queries/settings.ts'
import { projects } from './queries/tenancy.ts'
import { users } from './queries/users.ts'
import { deliveries, webhooks } from './queries/webhooks.ts'
import type { environmentOf, projectOf, Scope } from './scope.tsx'

export interface Asked {
  params: Search
  search: Search
}
type FirstOfEnvironment = (here: ReturnType<typeof environmentOf>, asked: Asked) => void
type FirstOfProject = (here: ReturnType<typeof projectOf>, asked: Asked) => void
type FirstOfTenant = (here: Scope, asked: Asked) => void

export const ofEnvironment = {
  overview(here, { search }) {
    if (here.is_root) return // it leads to the deployment
    begin(statistics.lastDay(here))
    begin(readiness.one(here))
    begin(applications.newest(here))
    begin(statistics.range(here, rangeNamed(search.range)))
    begin(attention(here))
    if (!here.can('developer')) return
    begin(events.newUsers(here))
    begin(events.latest(here))
  },
  applications: (here, { search }) => beginList(applications.list(here, search.query, orderIn(search))),
  application: (here, { params }) => begin(applications.one(here, params.application_id ?? '')),
  resourceServers: (here) => beginList(resourceServers.list(here)),
  roles: (here) => beginList(roles.list(here)),
  providers: (here) => beginList(providers.list(here)),
  apiKeys: (here) => beginList(environmentKeys(here).list),
  webhooks: (here) => beginList(webhooks.list(here)),
  webhook(here, { params: { webhook_id = '' }, search }) {
    begin(webhooks.one(here, webhook_id))
    if (!here.can('developer') || (search.tab ?? 'deliveries') !== 'deliveries' || search.status) return
    beginList(deliveries.list(here, webhook_id))
    begin(deliveries.latest(here, webhook_id))
  },
  logouts: (here) => beginList(logouts.list(here)),
  users(here, { search }) {
    if (Object.keys(search).every((name) => name === 'chosen')) beginList(users.list(here, {})) // the filters are not of the first script
  },
  organizations: (here, { search }) => beginList(organizations.list(here, search.query)),
  organization(here, { params: { organization_id = '' }, search }) {
    begin(organizations.one(here, organization_id))
    if ((search.tab ?? 'members') === 'members')
      beginList(organizations.members(here, organization_id, { query: search.query, role: search.role }))
    if (search.tab === 'invitations') beginList(organizations.invitations(here, organization_id, invitationStatus(search.status)))
  },
  inbox: (here) => beginList(inbox.list(here)),
  events: (here, { search }) => beginList(events.list(here, eventFilter(search))),
  calls(here, { search }) {
    begin(callsOfEnvironment(here).summary)
    beginList(callsOfEnvironment(here).list(callFilter(search)))
  },
  settings: (here) => begin(settings.one(here)),
  compare(here, { search }) {
    const { test, live } = compared(here.environments, here.environment, search)
    if (!test || !live) return
    begin(configurations.pair(here, { test: test.id, live: live.id }))
    begin(readiness.one({ client: here.client, at: { ...here.at, environment_id: live.id } }))
  },
  deployment(here) {
    begin(settings.plain(here))
    begin(users.latest(here))
    begin(readiness.one(here))
  },
} satisfies Record<string, FirstOfEnvironment>

export const ofProject = {
  promotions: (here, { search }) => beginList(promotions.list(here, promotionFilter(search))),
  promotion: (here, { params }) => begin(promotions.one(here, params.promotion_id ?? '')),
} satisfies Record<string, FirstOfProject>

export const ofTenant = {
  projects: (here) => beginList(projects.list(here)),
  platformKeys: (here) => beginList(platformKeys(here).list),
  members: (here) => beginList(members.list(here)),
  tenantCalls(here, { search }) {
    begin(callsOfTenant(here).summary)
    beginList(callsOfTenant(here).list(callFilter(search)))
  },
  auditLog(here, { search }) {
    begin(auditLog.actors(here))
    beginList(auditLog.list(here, auditFilter(search)))
  },
} satisfies Record<string, FirstOfTenant>
