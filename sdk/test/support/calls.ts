/** Right calls compile, and wrong ones do not: against the sources by `npm run check`, and against the package by package.test.ts. */
import { type Answer, type Client, createClient, type Environment, type List, type Page, type Project } from '@ostiary/sdk'
import { requireToken } from '@ostiary/sdk/express'
import { createKeySet, verifyAccessToken } from '@ostiary/sdk/verify'
import { verifyWebhook } from '@ostiary/sdk/webhooks'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_ extends true>() => undefined

/** Never called: only its types count. */
export function rightCalls(client: Client) {
  holds<Equal<ReturnType<Client['getProject']>, Promise<Project>>>()
  holds<Equal<ReturnType<Client['listEnvironments']>, List<Environment>>>()
  holds<Equal<ReturnType<Client['responses']['listProjects']>, Promise<Answer<Page<Project>>>>>()
  holds<Equal<Environment['type'], 'test' | 'live'>>()
  holds<Equal<Awaited<ReturnType<Client['revokeAuthKey']>>, void>>()
  const path = { project_id: 'prj_1', environment_id: 'env_1' }
  return [
    client.whoami(),
    client.listProjects(),
    client.listProjects({ slug: 'shop', cursor: undefined }, { tenant_id: 'ten_1' }),
    client.createProject({ slug: 'shop', name: 'Shop' }, { idempotency_key: 'a' }),
    client.changeProject({ project_id: 'prj_1' }, { name: 'Shop' }, { if_match: '"1"' }),
    client.changeSettings(path, { lockout: null, sign_in: { passkey_shared_host: true } }),
    client.createApplication(path, { name: 'A', application_type: 'web', redirect_uris: ['https://a.test/'] }),
  ]
}

/** Never called: each line is an error of the compiler. */
export function wrongCalls(client: Client) {
  const issuer = 'https://id.example.com/e/env_1'
  const keys = createKeySet({ issuer })
  return [
    // @ts-expect-error an operation that does not exist
    client.listProject(),
    // @ts-expect-error a parameter of the path is missing
    client.getEnvironment({ project_id: 'prj_1' }),
    // @ts-expect-error a parameter of the query that does not exist
    client.listProjects({ sluq: 'shop' }),
    // @ts-expect-error a text where a number belongs
    client.listProjects({ limit: '10' }),
    // @ts-expect-error a required field of the body is missing
    client.createProject({ slug: 'shop' }),
    // @ts-expect-error an unknown field of the body
    client.createProject({ slug: 'shop', name: 'Shop', owner: 'me' }),
    // @ts-expect-error a field of another type
    client.changeProject({ project_id: 'prj_1' }, { name: 7 }),
    // @ts-expect-error an unknown choice
    client.createAuthKey({ project_id: 'prj_1', environment_id: 'env_1' }, { type: 'platform_secret' }),
    // @ts-expect-error a GET has no Idempotency-Key
    client.getProject({ project_id: 'prj_1' }, { idempotency_key: 'a' }),
    // @ts-expect-error a POST compares no version
    client.createProject({ slug: 'shop', name: 'Shop' }, { if_match: '"1"' }),
    // @ts-expect-error a list is read by `for await`, `page` or `pages`
    client.listProjects().data,
    // @ts-expect-error an answer has no such field
    async () => (await client.getProject({ project_id: 'prj_1' })).owner,
    // @ts-expect-error a client needs an address
    createClient({ api_key: 'k' }),
    // @ts-expect-error a key set needs an issuer
    createKeySet({}),
    // @ts-expect-error a verification needs an audience
    verifyAccessToken('token', { keys, issuer }),
    // @ts-expect-error an algorithm that is not signed with keys that anyone can read
    verifyAccessToken('token', { keys, issuer, audience: 'api', algorithms: ['HS256'] }),
    // @ts-expect-error one scope where a list belongs
    requireToken({ keys, issuer, audience: 'api', required_scopes: 'orders:read' }),
    // @ts-expect-error a webhook needs its secret
    verifyWebhook({ headers: {}, body: '' }, {}),
    // @ts-expect-error a body that is parsed already has lost the bytes that were signed
    verifyWebhook({ headers: {}, body: { type: 'test.ping' } }, { secret: 's' }),
  ]
}
