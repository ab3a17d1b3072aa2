import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Config, readConfig } from './config.ts'
import { default_limits } from './limits.ts'

type Env = Record<string, string>

function configOf(env: Env): Config {
  const result = readConfig(env)
  return 'base_url' in result ? result : assert.fail(JSON.stringify(result))
}
function mistakesOf(env: Env) {
  const result = readConfig(env)
  return 'base_url' in result ? [] : result
}
const key = randomBytes(32)
const other_key = randomBytes(32)
const base64 = (bytes: Buffer) => bytes.toString('base64')
const postgres = 'postgres://ostiary:hunter2@db.internal/ostiary'

test('every variable has a default', () => {
  assert.deepEqual(configOf({ PATH: '/usr/bin' }), {
    base_url: 'http://localhost:3000',
    host: ['127.0.0.1', '::1'],
    port: 3000,
    data_dir: '.ostiary',
    database_url: null,
    redis_url: null,
    master_keys: null,
    idle_seconds: 72,
    trusted_proxies: [],
    webhook_allowed_networks: [],
    egress_proxy: null,
    issuer_hosts: [],
    limits: default_limits,
    log_level: 'info',
    metrics: null,
    otlp_url: null,
  })
})
test('an empty or blank variable counts as not set', () => {
  assert.deepEqual(configOf({ OSTIARY_PORT: '', OSTIARY_REDIS_URL: ' ', OSTIARY_MASTER_KEY: '' }), configOf({}))
})

const values: { env: Env; config: Partial<Config> }[] = [
  { env: { OSTIARY_PORT: '8080' }, config: { port: 8080, base_url: 'http://localhost:8080' } },
  { env: { OSTIARY_PORT: '80' }, config: { port: 80, base_url: 'http://localhost' } },
  { env: { OSTIARY_PORT: '0' }, config: { port: 0, base_url: 'http://localhost:0' } },
  {
    env: { OSTIARY_PORT: '0', OSTIARY_METRICS_PORT: '0' },
    config: { port: 0, metrics: { host: '127.0.0.1', port: 0 }, base_url: 'http://localhost:0' },
  },
  {
    env: { OSTIARY_PORT: '8080', OSTIARY_BASE_URL: 'https://login.example.com' },
    config: { port: 8080, base_url: 'https://login.example.com' },
  },
  { env: { OSTIARY_BASE_URL: 'https://login.example.com:8443' }, config: { base_url: 'https://login.example.com:8443' } },
  { env: { OSTIARY_BASE_URL: 'http://ostiary:3000' }, config: { base_url: 'http://ostiary:3000' } },
  { env: { OSTIARY_BASE_URL: 'http://[::1]:3000' }, config: { base_url: 'http://[::1]:3000' } },
  { env: { OSTIARY_HOST: 'localhost' }, config: { host: ['127.0.0.1', '::1'] } },
  { env: { OSTIARY_HOST: '0.0.0.0' }, config: { host: ['0.0.0.0'] } },
  { env: { OSTIARY_HOST: '::' }, config: { host: ['::'] } },
  { env: { OSTIARY_HOST: '[::1]' }, config: { host: ['::1'] } },
  { env: { OSTIARY_HOST: 'node-1.internal' }, config: { host: ['node-1.internal'] } },
  { env: { OSTIARY_DATA_DIR: '/var/lib/ostiary' }, config: { data_dir: '/var/lib/ostiary' } },
  { env: { OSTIARY_KEY: 'a', OSTIARY_URL: 'b', OSTIARY_PROFILE: 'c' }, config: {} },
  { env: { OSTIARY_DATABASE_URL: postgres, OSTIARY_MASTER_KEY: base64(key) }, config: { database_url: postgres, master_keys: [key] } },
  {
    env: { OSTIARY_DATABASE_URL: 'postgresql:///ostiary?host=/run/postgresql', OSTIARY_MASTER_KEY: base64(key) },
    config: { database_url: 'postgresql:///ostiary?host=/run/postgresql', master_keys: [key] },
  },
  { env: { OSTIARY_MASTER_KEY: `${base64(key)}, ${base64(other_key)}` }, config: { master_keys: [key, other_key] } },
  { env: { OSTIARY_REDIS_URL: 'rediss://:secret@cache:6380/0' }, config: { redis_url: 'rediss://:secret@cache:6380/0' } },
  {
    env: { OSTIARY_ISSUER_HOSTS: 'login.acme.example=acme, *.acme.example=acme,Other.example' },
    config: {
      issuer_hosts: [
        { pattern: 'login.acme.example', tenant_slug: 'acme' },
        { pattern: '*.acme.example', tenant_slug: 'acme' },
        { pattern: 'other.example', tenant_slug: null },
      ],
    },
  },
  { env: { OSTIARY_EGRESS_PROXY: 'http://proxy:3128' }, config: { egress_proxy: { host: 'proxy', port: 3128, authorization: null } } },
  { env: { OSTIARY_EGRESS_PROXY: 'http://proxy:80' }, config: { egress_proxy: { host: 'proxy', port: 80, authorization: null } } },
  { env: { OSTIARY_EGRESS_PROXY: 'http://[::1]:3128' }, config: { egress_proxy: { host: '::1', port: 3128, authorization: null } } },
  {
    env: { OSTIARY_EGRESS_PROXY: 'http://ada:a%3Ab%40@proxy:3128' },
    config: { egress_proxy: { host: 'proxy', port: 3128, authorization: `Basic ${base64(Buffer.from('ada:a:b@'))}` } },
  },
  { env: { OSTIARY_OTLP_URL: 'http://collector:4318' }, config: { otlp_url: 'http://collector:4318' } },
  { env: { OSTIARY_OTLP_URL: 'https://otlp.example.com/otlp' }, config: { otlp_url: 'https://otlp.example.com/otlp' } },
  { env: { OSTIARY_IDLE_SECONDS: '5' }, config: { idle_seconds: 5 } },
  { env: { OSTIARY_IDLE_SECONDS: '900' }, config: { idle_seconds: 900 } },
  { env: { OSTIARY_LIMITS: '{"keys":5}' }, config: { limits: { ...default_limits, keys: 5 } } },
  { env: { OSTIARY_LOG_LEVEL: 'debug' }, config: { log_level: 'debug' } },
  { env: { OSTIARY_METRICS_PORT: '9464' }, config: { metrics: { host: '127.0.0.1', port: 9464 } } },
  { env: { OSTIARY_METRICS_PORT: '0.0.0.0:9464' }, config: { metrics: { host: '0.0.0.0', port: 9464 } } },
  { env: { OSTIARY_METRICS_PORT: '[::1]:9464' }, config: { metrics: { host: '::1', port: 9464 } } },
]
for (const { env, config } of values) {
  test(`${Object.entries(env).map(([name, value]) => `${name}=${name === 'OSTIARY_MASTER_KEY' ? '…' : value}`)} is accepted`, () => {
    assert.deepEqual(configOf(env), { ...configOf({}), ...config })
  })
}
test('a list of networks is parsed', () => {
  const { trusted_proxies, webhook_allowed_networks } = configOf({
    OSTIARY_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '192.168.0.0/16',
  })
  assert.deepEqual(
    [...trusted_proxies, ...webhook_allowed_networks].map(({ base, prefix }) => `${base}/${prefix}`),
    ['10.0.0.0/8', '::1/128', '192.168.0.0/16'],
  )
})

// biome-ignore format: this table is read by column
const mistakes: { variable: string; value: string; says: RegExp }[] = [
  { variable: 'OSTIARY_BASE_URL',                 value: 'login.example.com',             says: /https:\/\/login\.example\.com/ },
  { variable: 'OSTIARY_BASE_URL',                 value: 'https://login.example.com/',    says: /trailing slash. Write https:\/\/login\.example\.com$/ },
  { variable: 'OSTIARY_BASE_URL',                 value: 'https://login.example.com/sso', says: /without path.* Write https:\/\/login\.example\.com$/ },
  { variable: 'OSTIARY_BASE_URL',                 value: 'https://Login.example.com',     says: /Write https:\/\/login\.example\.com$/ },
  { variable: 'OSTIARY_BASE_URL',                 value: 'https://login.example.com:443', says: /Write https:\/\/login\.example\.com$/ },
  { variable: 'OSTIARY_BASE_URL',                 value: 'https://me@login.example.com',  says: /only the public origin/ },
  { variable: 'OSTIARY_BASE_URL',                 value: 'https://login.example.com?a',   says: /only the public origin/ },
  { variable: 'OSTIARY_BASE_URL',                 value: 'https://*.example.com',         says: /only the public origin/ },
  { variable: 'OSTIARY_BASE_URL',                 value: 'ftp://login.example.com',       says: /public origin/ },
  { variable: 'OSTIARY_HOST',                     value: 'http://localhost',              says: /address/ },
  { variable: 'OSTIARY_HOST',                     value: '0.0.0.0:3000',                  says: /OSTIARY_PORT/ },
  { variable: 'OSTIARY_HOST',                     value: '127.0.0.256',                   says: /address/ },
  { variable: 'OSTIARY_HOST',                     value: '*',                             says: /0\.0\.0\.0/ },
  { variable: 'OSTIARY_PORT',                     value: '65536',                         says: /65535/ },
  { variable: 'OSTIARY_PORT',                     value: '-1',                            says: /65535/ },
  { variable: 'OSTIARY_PORT',                     value: '3e3',                           says: /65535/ },
  { variable: 'OSTIARY_PORT',                     value: '0x50',                          says: /65535/ },
  { variable: 'OSTIARY_PORT',                     value: 'http',                          says: /65535/ },
  { variable: 'OSTIARY_REDIS_URL',                value: 'cache:6379',                    says: /redis:\/\// },
  { variable: 'OSTIARY_REDIS_URL',                value: 'https://cache',                 says: /redis:\/\// },
  { variable: 'OSTIARY_MASTER_KEY',               value: 'hunter2',                       says: /openssl rand -base64 32/ },
  { variable: 'OSTIARY_MASTER_KEY',               value: base64(randomBytes(31)),         says: /32 bytes/ },
  { variable: 'OSTIARY_MASTER_KEY',               value: base64(randomBytes(33)),         says: /32 bytes/ },
  { variable: 'OSTIARY_MASTER_KEY',               value: key.toString('hex'),             says: /32 bytes/ },
  { variable: 'OSTIARY_MASTER_KEY',               value: base64(key).slice(0, -1),        says: /32 bytes/ },
  { variable: 'OSTIARY_MASTER_KEY',               value: `${base64(key)},`,               says: /Key 2 of 2/ },
  { variable: 'OSTIARY_MASTER_KEY',               value: `${'A'.repeat(42)}B=`,           says: /base64/ },
  { variable: 'OSTIARY_EGRESS_PROXY',             value: 'proxy:3128',                    says: /http:\/\/host:port/ },
  { variable: 'OSTIARY_EGRESS_PROXY',             value: 'https://proxy:3128',            says: /http:\/\/host:port/ },
  { variable: 'OSTIARY_EGRESS_PROXY',             value: 'http://proxy',                  says: /http:\/\/host:port/ },
  { variable: 'OSTIARY_EGRESS_PROXY',             value: 'http://proxy:0',                says: /http:\/\/host:port/ },
  { variable: 'OSTIARY_EGRESS_PROXY',             value: 'http://proxy:3128/',            says: /without a path/ },
  { variable: 'OSTIARY_EGRESS_PROXY',             value: 'http://proxy:3128?a=b',         says: /without a path/ },
  { variable: 'OSTIARY_EGRESS_PROXY',             value: 'http://a:%zz@proxy:3128',       says: /^(?!.*zz).*Encode special characters/ },
  { variable: 'OSTIARY_EGRESS_PROXY',             value: 'http://a%3Ab:c@proxy:3128',     says: /Encode special characters/ },
  { variable: 'OSTIARY_EGRESS_PROXY',             value: 'http://a:b%0Ac@proxy:3128',     says: /Encode special characters/ },
  { variable: 'OSTIARY_OTLP_URL',                 value: 'collector:4318',                says: /OTLP over HTTP/ },
  { variable: 'OSTIARY_OTLP_URL',                 value: 'http://collector:4318/',        says: /final slash/ },
  { variable: 'OSTIARY_OTLP_URL',                 value: 'http://collector:4318/v1/logs', says: /without \/v1\/logs/ },
  { variable: 'OSTIARY_OTLP_URL',                 value: 'http://a:hunter2@collector:1',  says: /^(?!.*hunter2).*OTLP/ },
  { variable: 'OSTIARY_OTLP_URL',                 value: 'grpc://collector:4317',         says: /OTLP over HTTP/ },
  { variable: 'OSTIARY_IDLE_SECONDS',             value: '4',                             says: /5 to 900/ },
  { variable: 'OSTIARY_IDLE_SECONDS',             value: '901',                           says: /5 to 900/ },
  { variable: 'OSTIARY_IDLE_SECONDS',             value: '60.5',                          says: /5 to 900/ },
  { variable: 'OSTIARY_IDLE_SECONDS',             value: '60s',                           says: /5 to 900/ },
  { variable: 'OSTIARY_TRUSTED_PROXIES',          value: '10.0.0.0/8,proxy',              says: /"proxy"/ },
  { variable: 'OSTIARY_TRUSTED_PROXIES',          value: '10.0.0.1/8',                    says: /10\.0\.0\.0\/8/ },
  { variable: 'OSTIARY_WEBHOOK_ALLOWED_NETWORKS', value: 'all',                           says: /"all"/ },
  { variable: 'OSTIARY_LOG_LEVEL',                value: 'verbose',                       says: /debug, info, warn, error, silent/ },
  { variable: 'OSTIARY_METRICS_PORT',             value: 'yes',                           says: /65535/ },
  { variable: 'OSTIARY_METRICS_PORT',             value: '3000',                          says: /port of their own/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: 'https://a.example=acme',          says: /"https:\/\/a\.example=acme": .*without scheme/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: 'a.example:8443=acme',             says: /without scheme, port and path/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: 'a.example/e=acme',                says: /without scheme, port and path/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: 'a.example.=acme',                 says: /such as login\.example\.com/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: 'söhne.example=acme',              says: /in ASCII/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: '*=acme',                          says: /"\*=acme": Expected a host/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: 'a.*.example=acme',                says: /Expected a host/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: '*.*.example=acme',                says: /Expected a host/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: '*.192.0.2.1=acme',                says: /Expected a host/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: '=acme',                           says: /"=acme": Expected a host/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: 'a.example=acme,',                 says: /"": Expected a host/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: 'a.example=',                      says: /slug of a tenant/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: 'a.example=Acme Inc',              says: /slug of a tenant/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: 'a.example=a=b',                   says: /slug of a tenant/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: 'a.example=acme,A.example=globex', says: /"a\.example" is listed twice/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: 'localhost=acme',                  says: /host of OSTIARY_BASE_URL/ },
  { variable: 'OSTIARY_ISSUER_HOSTS',             value: 'a.example:1=acme,localhost=acme', says: /"a\.example:1=acme": .* "localhost=acme": / },
  { variable: 'OSTIARY_LIMITS',                   value: '{"keyz":5}',                     says: /no limit "keyz"/ },
  { variable: 'OSTIARY_LIMITS',                   value: '{"keys":-5}',                    says: /"keys" must be an integer/ },
  { variable: 'OSTIARY_LIMITS',                   value: 'keys=5',                        says: /JSON/ },
  { variable: 'OSTIARY_PROT',                     value: '80',                            says: /Did you mean OSTIARY_PORT\?/ },
  { variable: 'OSTIARY_MASTER_KEYS',              value: base64(key),                     says: /Did you mean OSTIARY_MASTER_KEY\?/ },
  { variable: 'OSTIARY_WATCH_TOWER',              value: '1',                             says: /no such variable\. Remove it/ },
]
for (const { variable, value, says } of mistakes) {
  test(`${variable}=${variable.startsWith('OSTIARY_MASTER_KEY') ? `… of ${value.length} characters` : value} is refused, and the message says what to do`, () => {
    const [mistake, ...others] = mistakesOf({ [variable]: value })
    assert.deepEqual(others, [])
    assert.equal(mistake?.variable, variable)
    assert.match(mistake?.problem ?? '', says)
  })
}

for (const host of ['id.acme.example', 'acme.example', 'example'])
  test(`with a base URL at id.acme.example, ${host} cannot be the host of an issuer`, () => {
    const env = { OSTIARY_BASE_URL: 'https://id.acme.example', OSTIARY_ISSUER_HOSTS: `${host}=acme` }
    assert.match(mistakesOf(env)[0]?.problem ?? '', /host of OSTIARY_BASE_URL or a parent domain/)
  })

test('OSTIARY_DATABASE_URL requires OSTIARY_MASTER_KEY', () => {
  assert.deepEqual(
    mistakesOf({ OSTIARY_DATABASE_URL: postgres }).map(({ variable }) => variable),
    ['OSTIARY_MASTER_KEY'],
  )
})
test('all mistakes are reported at once', () => {
  const env = {
    OSTIARY_PORT: 'x',
    OSTIARY_DATABASE_URL: 'mysql://db',
    OSTIARY_LOG_LEVEL: 'loud',
    OSTIARY_LIMITS: '{"keys":1.5}',
    OSTIARY_DEBUG: '1',
  }
  const reported = mistakesOf(env).map(({ variable }) => variable)
  assert.deepEqual(reported.sort(), [
    'OSTIARY_DATABASE_URL',
    'OSTIARY_DEBUG',
    'OSTIARY_LIMITS',
    'OSTIARY_LOG_LEVEL',
    'OSTIARY_MASTER_KEY',
    'OSTIARY_PORT',
  ])
})
test('a message never repeats a value that may be secret', () => {
  for (const variable of ['OSTIARY_DATABASE_URL', 'OSTIARY_REDIS_URL', 'OSTIARY_MASTER_KEY']) {
    for (const value of ['hunter2', 'mysql://a:hunter2@db', 'postgres://a:hunter2@[', 'redis://:hunter2@:x:y', 'hunter2,hunter2']) {
      assert.ok(!JSON.stringify(mistakesOf({ [variable]: value })).includes('hunter2'))
    }
  }
})
test('readConfig throws for no value', () => {
  const variable = fc.constantFrom(
    'BASE_URL',
    'HOST',
    'PORT',
    'DATABASE_URL',
    'REDIS_URL',
    'MASTER_KEY',
    'TRUSTED_PROXIES',
    'ISSUER_HOSTS',
    'LIMITS',
    'LOG_LEVEL',
    'METRICS_PORT',
    'X',
  )
  const value = fc.oneof(fc.string(), fc.webUrl(), fc.ipV6(), fc.base64String())
  fc.assert(fc.property(variable, value, (name, text) => assert.doesNotThrow(() => readConfig({ [`OSTIARY_${name}`]: text }))))
})
