/**
 * Issuers of both kinds behind nginx with TLS, whose authority is trusted through NODE_EXTRA_CA_CERTS. `.ci/run` installs nginx; without
 * it these tests are skipped.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request as sendRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { authorizationRequest } from './support/cookie-browser.ts'
import { freePort } from './support/free-port.ts'
import { startNginx, writeCertificates } from './support/front.ts'
import { world } from './support/world.ts'

const noNginx = spawnSync('nginx', ['-v']).status === 0 ? false : 'needs nginx'

const files = ['browser/oidc-client-ts', 'flows/clients', 'flows/logout', 'flows/providers'].map((name) =>
  join(import.meta.dirname, `${name}.test.ts`),
)

const folder = mkdtempSync(join(tmpdir(), 'ostiary-authority-'))
after(() => rmSync(folder, { recursive: true, force: true }))
writeCertificates(folder)

for (const issuers of ['path', 'host'] as const)
  test(`clients and flows work behind nginx with issuers of the kind ${issuers}`, { skip: noNginx }, async () => {
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
    const env = {
      ...inherited,
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      OSTIARY_TEST_CERTIFICATE: folder,
      OSTIARY_TEST_FRONT: 'nginx',
      OSTIARY_TEST_ISSUERS: issuers,
    }
    const args = [...process.execArgv, '--test', '--test-concurrency=1', '--test-reporter=tap', ...files]
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let report = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      report += text
    })
    const [code] = await once(child, 'close')
    assert.equal(code, 0, report)
    assert.ok(Number(/^# pass (\d+)$/m.exec(report)?.[1]) > 20, report)
  })

test('the example passes a state of 4,096 characters back, and logs no query', { skip: noNginx }, async () => {
  const w = await world()
  const port = await freePort()
  const stop = await startNginx({ port, service_port: Number(new URL(w.base_url).port), folder, certificate: folder })
  const ca = readFileSync(join(folder, 'ca.pem'))
  /** Asks nginx instead of the service. */
  const ask = async (url: string) => {
    const { pathname, search } = new URL(url)
    const options = { host: '127.0.0.1', port, servername: 'id.front.example', ca, path: pathname + search, agent: false }
    const [answer] = (await once(sendRequest(options).end(), 'response')) as [IncomingMessage] // as: the event of an answer
    answer.resume()
    await once(answer, 'end')
    return answer
  }
  try {
    const client = await w.createApplication(w.test)
    for (const state of ['a'.repeat(4_096), '+/'.repeat(2_048)]) {
      const { url } = authorizationRequest(w.test, client, { prompt: 'none', state })
      const { statusCode, headers } = await ask(url)
      assert.equal(statusCode, 303)
      assert.equal(new URL(headers.location ?? '').searchParams.get('state'), state)
    }
    await ask(`${w.test.issuer}/verify?token=hush-of-a-link`)
    await w.close()
    assert.equal((await ask(`${w.test.issuer}/verify?token=hush-of-a-failure`)).statusCode, 502)
  } finally {
    await stop()
  }
  const [access, error] = ['ostiary.log', 'ostiary-error.log'].map((name) => readFileSync(join(folder, name), 'utf8'))
  assert.match(access ?? '', /"GET \/e\/env_\w+\/verify HTTP\/1\.1" 502 /)
  assert.doesNotMatch(`${access}${error}`, /hush|aaaa/)
})

test('an answer before the end of its body passes the example, in each of 80 tries', { skip: noNginx }, async () => {
  const w = await world()
  const port = await freePort()
  const stop = await startNginx({ port, service_port: Number(new URL(w.base_url).port), folder, certificate: folder })
  const ca = readFileSync(join(folder, 'ca.pem'))
  const body = Buffer.alloc(1_900_000, 'x')
  /** Sends 1.9 MB to nginx, which sends them to the service. */
  const send = async (path: string, headers: Record<string, string>) => {
    const options = { host: '127.0.0.1', port, servername: 'id.front.example', ca, agent: false }
    const [answer] = (await once(sendRequest({ ...options, method: 'POST', path, headers }).end(body), 'response')) as [IncomingMessage] // as: the event of an answer
    answer.resume()
    await once(answer, 'end')
    return answer.statusCode
  }
  const json = { 'content-type': 'application/json' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const { pathname } = new URL(w.test.issuer)
  const kinds = [
    { path: '/v1/platform/projects', headers: { ...json, 'x-api-key': w.key }, status: 413 },
    { path: '/v1/platform/projects', headers: json, status: 401 },
    { path: `${pathname}/v1/oauth/token`, headers: form, status: 413 },
    { path: '/healthz', headers: json, status: 405 },
  ]
  try {
    for (const { path, headers, status } of kinds) {
      const seen = new Set<number | undefined>()
      for (let i = 0; i < 5; i++) for (const got of await Promise.all(Array.from({ length: 4 }, () => send(path, headers)))) seen.add(got)
      assert.deepEqual([...seen], [status], path)
    }
  } finally {
    await stop()
  }
})
