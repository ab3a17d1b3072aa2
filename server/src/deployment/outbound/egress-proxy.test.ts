import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { makeCertificate } from '../../../test/support/certificate.ts'
import { startConnectProxy } from '../../../test/support/connect-proxy.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { until } from '../../../test/support/receiver.ts'
import type { EgressProxy } from '../../base/config/config.ts'
import { parseNetworks } from '../../base/networks.ts'
import { createOutbound, type OutboundRequest } from './fetch.ts'

const base_url = 'http://login.test:3000'
const noResolver = async (name: string) => assert.fail(`${name} was resolved here.`)
const certificate = makeCertificate('127.0.0.1', 'secure.test')
const get = (url: string, change: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'GET',
  url,
  https_only: false,
  timeout_ms: 5_000,
  limit_bytes: 1_000,
  beyond_limit: 'fail',
  ...change,
})

async function listening(server: ReturnType<typeof createServer>) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return (server.address() as AddressInfo).port // as: a server on TCP has one
}
const plain_port = await listening(createServer((request, response) => void request.pipe(response)))
const secure_port = await listening(createHttpsServer(certificate, (request, response) => response.end(`secure ${request.url}`)))

const names: Record<string, number> = { 'plain.test:80': plain_port, 'plain.test:8080': plain_port, 'secure.test:443': secure_port }
const proxy = await startConnectProxy((target) => {
  const port = names[target]
  return port === undefined ? { status: 502 } : { port }
})
const callBy = (egress_proxy: EgressProxy, allowed = '') => {
  const networks = parseNetworks(allowed)
  const webhook_allowed_networks = 'networks' in networks ? networks.networks : []
  return createOutbound({ base_url, webhook_allowed_networks, egress_proxy }, { resolve: noResolver, ca: certificate.cert })
}
const outbound = callBy(proxy.proxy)

test('http and https calls go through the proxy, which gets the name and the port, and resolves the name', async () => {
  const echo = await outbound(get('http://plain.test/a', { method: 'POST', body: 'hello' }))
  assert.equal(echo.body.toString(), 'hello')
  assert.equal((await outbound(get('http://plain.test:8080/', { method: 'POST', body: 'x'.repeat(900) }))).body.length, 900)
  assert.equal((await outbound(get('https://secure.test/b?c'))).body.toString(), 'secure /b?c')
  assert.deepEqual(proxy.targets, ['plain.test:80', 'plain.test:8080', 'secure.test:443'])
  assert.deepEqual(proxy.credentials, [undefined, undefined, undefined])
  await until('every connection is closed', () => proxy.sockets.size === 0)
})

test('user and password are sent at once', async () => {
  const authorization = `Basic ${Buffer.from('ada:lovelace').toString('base64')}`
  await callBy({ ...proxy.proxy, authorization })(get('http://plain.test/'))
  assert.equal(proxy.credentials.at(-1), authorization)
})

// biome-ignore format: this table is read by line
const spelt_out = [
  '127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0', '①②⑦.⓪.⓪.①', '%31%32%37.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254', '10.0.0.1', '[fd00::1]', '[64:ff9b::7f00:1]',
  'localhost', 'LOCALHOST.', 'a.localhost',
]
for (const host of spelt_out)
  test(`the proxy is not asked for ${host}, which is judged here`, async () => {
    const before = proxy.targets.length
    await assert.rejects(outbound(get(`http://${host}/`)), { name: 'OutboundFailed', reason: 'unreachable', step: 'address_not_allowed' })
    assert.equal(proxy.targets.length, before)
  })

test('an address that is spelt out and allowed, or public, goes through the proxy too', async () => {
  const allowing = callBy(proxy.proxy, '127.0.0.0/8,::1/128')
  for (const host of ['127.1', '[::1]', 'localhost', '1.1.1.1']) await assert.rejects(allowing(get(`http://${host}:9/`)), { step: 'proxy' })
  assert.deepEqual(proxy.targets.slice(-4), ['127.0.0.1:9', '[::1]:9', 'localhost:9', '1.1.1.1:9'])
})

// biome-ignore format: this table is read by column
const answers: [what: string, decide: Parameters<typeof startConnectProxy>[0], reason: string, message: RegExp][] = [
  ['asks for credentials',              () => ({ status: 407 }),                                    'unreachable', /status 407/],
  ['refuses',                           () => ({ status: 403 }),                                    'unreachable', /status 403/],
  ['reaches nothing',                   () => ({ status: 502 }),                                    'unreachable', /status 502/],
  ['redirects',                         () => ({ status: 302 }),                                    'unreachable', /status 302/],
  ['answers 101',                       () => ({ bytes: 'HTTP/1.1 101 Switching\r\n\r\n' }),        'unreachable', /status 101/],
  ['speaks SSH',                       () => ({ bytes: 'SSH-2.0-OpenSSH_9.6\r\n\r\n' }),           'unreachable', /not speak HTTP/],
  ['sends a head without end',          () => ({ bytes: `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(4_000)}` }), 'unreachable', /too long/],
  ['speaks for the target',             () => ({ bytes: 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n' }), 'unreachable', /bytes behind/],
  ['does not answer',                   () => null,                                                 'timeout',     /No answer within/],
  ['answers with half a head',          () => ({ bytes: 'HTTP/1.1 200 OK\r\n' }),                   'timeout',     /No answer within/],
]
for (const [what, decide, reason, message] of answers)
  for (const scheme of ['http', 'https'])
    test(`a call by ${scheme} fails with the step proxy when the proxy ${what}, and its connection is closed`, async () => {
      const hostile = await startConnectProxy(decide)
      const call = callBy(hostile.proxy)(get(`${scheme}://plain.test/`, { timeout_ms: reason === 'timeout' ? 60 : 5_000 }))
      const error = await call.then(() => assert.fail('it succeeded'), (thrown) => thrown) // biome-ignore format: fits
      assert.deepEqual([error.name, error.reason, error.step], ['OutboundFailed', reason, 'proxy'])
      assert.match(reason === 'timeout' ? error.message : error.cause.message, message)
      await until('the connection is closed', () => hostile.sockets.size === 0)
    })

test('a proxy that is down has the step proxy, and no call goes around it', async () => {
  const down = callBy({ host: '127.0.0.1', port: await freePort(), authorization: null }, '127.0.0.0/8')
  await assert.rejects(down(get(`http://127.0.0.1:${plain_port}/`)), { reason: 'unreachable', step: 'proxy' })
})

test('behind the proxy a target has the steps of any call', async () => {
  names['mute.test:443'] = plain_port
  await assert.rejects(outbound(get('https://mute.test/')), { reason: 'unreachable', step: 'tls' })
  names['plain.test:443'] = secure_port
  await assert.rejects(outbound(get('https://plain.test/')), { reason: 'unreachable', step: 'tls' }, 'the certificate is of another name')
})
