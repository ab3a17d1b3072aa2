import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Config, ineffectiveProxyVariables, readConfig } from '@ostiary/server/base/config/config.ts'
import { startConnectProxy } from '../../server/test/support/connect-proxy.ts'
import { freePort } from '../../server/test/support/free-port.ts'
import { checkEgress } from './doctor-egress.ts'

function configWith(env: Record<string, string>): Config {
  const config = readConfig(env)
  return Array.isArray(config) ? assert.fail(JSON.stringify(config)) : config
}
const by = (port: number, more: Record<string, string> = {}) => configWith({ OSTIARY_EGRESS_PROXY: `http://127.0.0.1:${port}`, ...more })

// biome-ignore format: this table is read by column
const proxies: [what: string, decide: Parameters<typeof startConnectProxy>[0], level: string, text: RegExp][] = [
  ['refuses private addresses',     () => ({ status: 403 }),                                        'ok',      /refuses the private addresses/],
  ['reaches no private address',    () => ({ status: 502 }),                                        'ok',      /refuses the private addresses/],
  ['connects to its own loopback',  (target) => (target.startsWith('127.') ? { port: own() } : { status: 403 }), 'problem', /private addresses \(127\.0\.0\.1:\d+\)/],
  ['connects to its loopback of IPv6', (target) => (target.startsWith('[::1]') ? { port: own() } : { status: 403 }), 'problem', /private addresses \(\[::1\]:\d+\)/],
  ['resolves localhost',            (target) => (target.startsWith('localhost') ? { port: own() } : { status: 403 }), 'problem', /private addresses \(localhost:\d+\)/],
  ['reaches the metadata service',  (target) => (target.startsWith('169.254') ? { port: own() } : { status: 403 }), 'problem', /\(169\.254\.169\.254:80\)/],
  ['asks for other credentials',    () => ({ status: 407 }),                                        'problem', /407/],
  ['closes the connection',         () => ({ bytes: 'no\r\n\r\n' }),                                'problem', /cannot be used/],
]
let own = () => 0
for (const [what, decide, level, text] of proxies)
  test(`doctor reports ${level} for a proxy that ${what}`, async () => {
    const proxy = await startConnectProxy(decide)
    own = () => proxy.port
    const [finding] = await checkEgress(by(proxy.port), [])
    assert.deepEqual([finding?.level, text.test(finding?.text ?? '')], [level, true], finding?.text)
  })

test('doctor says that a proxy is down', async () => {
  const [finding] = await checkEgress(by(await freePort()), [])
  assert.equal(finding?.level, 'problem')
  assert.match(finding?.text ?? '', /cannot be reached/)
})

test('an address in an allowed network is not tried', async () => {
  const proxy = await startConnectProxy(() => ({ status: 403 }))
  await checkEgress(by(proxy.port, { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' }))
  assert.ok(proxy.targets.every((target) => !/^(127|\[::1\]|localhost)/.test(target)))
})

test('without a proxy nothing is reported', async () => {
  assert.deepEqual(await checkEgress(configWith({}), []), [])
})

test('doctor says of the variables of other programs that they have no effect', async () => {
  const [warning] = await checkEgress(configWith({}), ['HTTPS_PROXY'])
  assert.deepEqual([warning?.level, warning?.text.startsWith('HTTPS_PROXY is set and has no effect')], ['warning', true])
  const proxy = await startConnectProxy(() => ({ status: 403 }))
  const found = await checkEgress(by(proxy.port), ['HTTP_PROXY', 'https_proxy'])
  assert.deepEqual(found.map(({ level }) => level), ['ok', 'ok']) // biome-ignore format: fits
  assert.deepEqual(ineffectiveProxyVariables({ HTTP_PROXY: 'http://a', no_proxy: 'b', all_proxy: 'c', HTTPS_PROXY: '' }), [
    'HTTP_PROXY',
    'all_proxy',
  ])
})
