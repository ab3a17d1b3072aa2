/** Links that compile, and links that must not: the check of types fails when the error that a line expects is absent. */
import { linkOptions } from '@tanstack/react-router'
import type {} from '../src/router.tsx' // its addresses
import { environment_route as base } from '../src/scope.tsx'

export const links = [
  linkOptions({ from: base, to: `${base}/users`, search: { chosen: 'usr_1' } }),
  linkOptions({ from: base, to: `${base}/applications/$application_id`, params: { application_id: 'app_1' } }),
  linkOptions({ to: `${base}/users`, params: { tenant: 'acme', project: 'shop', env: 'live' } }),
  linkOptions({ to: '/t/$tenant/members', params: { tenant: 'acme' } }),
  // @ts-expect-error an environment has no such page
  linkOptions({ from: base, to: `${base}/user` }),
  // @ts-expect-error a tenant has no such page
  linkOptions({ to: '/t/$tenant/member', params: { tenant: 'acme' } }),
  // @ts-expect-error the page of an application needs its id
  linkOptions({ from: base, to: `${base}/applications/$application_id` }),
  // @ts-expect-error the parameter has another name
  linkOptions({ from: base, to: `${base}/applications/$application_id`, params: { id: 'app_1' } }),
  // @ts-expect-error a link from outside of the environment must name it
  linkOptions({ to: `${base}/users` }),
]
