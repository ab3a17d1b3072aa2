/**
 * The manifests for Kubernetes and the Helm chart: every object has the form of its API, and the rules that keep pods safe and updates free of
 * interruptions hold. The chart is rendered here by the few constructs that it uses, and by Helm where it is installed.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { z } from 'zod'
import { readConfig, variables } from '../server/src/base/config/config.ts'

const folder = import.meta.dirname
const chart = join(folder, 'helm/ostiary')
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const secrets = ['OSTIARY_MASTER_KEY', 'OSTIARY_DATABASE_URL']
const python = join(folder, '../.node/helm/bin/python')
const of_library = `
import json, sys, helm_python
chart, values = sys.argv[1], json.loads(sys.argv[2])
assert not helm_python.lint(chart, values, strict=True)['errors']
with helm_python.Chart.load(chart) as loaded:
    print('\\n---\\n'.join(loaded.render(values, name='ostiary').values()))`

/** The parts of the Kubernetes API that the manifests use. Another member is a mistake of a name or of a place. */
const texts = z.record(z.string(), z.string())
const meta = z.strictObject({
  name: z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/),
  labels: texts,
  annotations: texts.optional(),
})
const selector = z.strictObject({ matchLabels: texts })
const quantity = z.string().regex(/^\d+(m|Mi|Gi)?$/)
const amounts = z.strictObject({ cpu: quantity.optional(), memory: quantity })
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string().startsWith('/'), port: z.literal('http') }),
  periodSeconds: z.int().min(1),
  timeoutSeconds: z.int().min(1).optional(),
  failureThreshold: z.int().min(1),
})
const named = z.strictObject({ name: z.string() })
const container = z.strictObject({
  name: z.string(),
  image: z.string().regex(/^[\w./-]+:[\w.-]+$/),
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
  args: z.array(z.string()),
  env: z.array(z.strictObject({ name: z.enum(variables), value: z.string() })).optional(),
  envFrom: z.array(z.union([z.strictObject({ configMapRef: named }), z.strictObject({ secretRef: named })])),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })).optional(),
  startupProbe: probe.optional(),
  readinessProbe: probe.optional(),
  livenessProbe: probe.optional(),
  lifecycle: z.strictObject({ preStop: z.strictObject({ exec: z.strictObject({ command: z.array(z.string()) }) }) }).optional(),
  resources: z.strictObject({ requests: amounts, limits: amounts }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string().startsWith('/') })),
})
const spread = z.strictObject({
  maxSkew: z.int(),
  topologyKey: z.string(),
  whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']),
  labelSelector: selector,
})
const pod = z.strictObject({
  metadata: z.strictObject({ labels: texts, annotations: texts.optional() }),
  spec: z.strictObject({
    restartPolicy: z.literal('Never').optional(),
    automountServiceAccountToken: z.literal(false),
    enableServiceLinks: z.literal(false), // otherwise OSTIARY_PORT is the address of a Service
    imagePullSecrets: z.array(named).optional(),
    nodeSelector: texts.optional(),
    tolerations: z.array(z.looseObject({})).optional(),
    terminationGracePeriodSeconds: z.int().optional(),
    securityContext: z.strictObject({
      runAsNonRoot: z.literal(true),
      runAsUser: z.int().min(1),
      runAsGroup: z.int().min(1),
      fsGroup: z.int().min(1),
      seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
    }),
    topologySpreadConstraints: z.array(spread).optional(),
    containers: z.tuple([container]),
    volumes: z.array(z.strictObject({ name: z.string(), emptyDir: z.strictObject({}) })),
  }),
})
const Deployment = z.strictObject({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('Deployment'),
  metadata: meta,
  spec: z.strictObject({
    replicas: z.int().min(2),
    revisionHistoryLimit: z.int(),
    strategy: z.strictObject({
      type: z.literal('RollingUpdate'),
      rollingUpdate: z.strictObject({ maxUnavailable: z.literal(0), maxSurge: z.int().min(1) }),
    }),
    selector,
    template: pod,
  }),
})
const Job = z.strictObject({
  apiVersion: z.literal('batch/v1'),
  kind: z.literal('Job'),
  metadata: meta,
  spec: z.strictObject({
    backoffLimit: z.int(),
    activeDeadlineSeconds: z.int(),
    ttlSecondsAfterFinished: z.int(),
    template: pod,
  }),
})
const Service = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Service'),
  metadata: meta,
  spec: z.strictObject({
    clusterIP: z.literal('None').optional(),
    selector: texts,
    ports: z.array(z.strictObject({ name: z.string(), port: z.int(), targetPort: z.string() })),
  }),
})
const Budget = z.strictObject({
  apiVersion: z.literal('policy/v1'),
  kind: z.literal('PodDisruptionBudget'),
  metadata: meta,
  spec: z.strictObject({ minAvailable: z.int().min(1), selector }),
})
const peers = z.array(z.strictObject({ namespaceSelector: selector }))
const Policy = z.strictObject({
  apiVersion: z.literal('networking.k8s.io/v1'),
  kind: z.literal('NetworkPolicy'),
  metadata: meta,
  spec: z.strictObject({
    podSelector: selector,
    policyTypes: z.tuple([z.literal('Ingress')]),
    ingress: z.array(z.strictObject({ from: peers, ports: z.array(z.strictObject({ port: z.string() })) })),
  }),
})
const head = { apiVersion: z.literal('v1'), metadata: meta }
const ConfigMap = z.strictObject({ ...head, kind: z.literal('ConfigMap'), data: z.partialRecord(z.enum(variables), z.string()) })
const Secret = z.strictObject({
  ...head,
  kind: z.literal('Secret'),
  type: z.literal('Opaque'),
  stringData: z.partialRecord(z.enum(variables), z.string()),
})
const Manifest = z.discriminatedUnion('kind', [Deployment, Job, Service, Budget, Policy, ConfigMap, Secret])
type Manifest = z.infer<typeof Manifest>

const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => {
      assert.deepEqual(document.errors, [])
      return document.toJS() as unknown // as: judged by the schema
    })
    .filter((value) => value !== null)
    .map((value) => Manifest.parse(value))

const kindsOf = (manifests: readonly Manifest[]) => manifests.map(({ kind }) => kind).toSorted()
function only<K extends Manifest['kind']>(manifests: readonly Manifest[], kind: K): Extract<Manifest, { kind: K }> {
  const [found, more] = manifests.filter((each): each is Extract<Manifest, { kind: K }> => each.kind === kind)
  assert.ok(found !== undefined && more === undefined, `one ${kind}`)
  return found
}

/** Renders a template by the constructs that the chart uses: values, defaults, `if` and `toYaml`. */
function rendered(template: string, values: Record<string, unknown>): string {
  const { appVersion } = parse(read('helm/ostiary/Chart.yaml'))
  const scope = { Values: values, Chart: { AppVersion: appVersion }, Release: { Name: 'ostiary' } }
  const at = (path: string): unknown =>
    path
      .split('.')
      .slice(1)
      .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], scope) // as: a path of the chart
  const wide = { lineWidth: 0 }
  const textOf = (expression: string): string => {
    const [, yaml, indent] = /^toYaml (\S+) \| nindent (\d+)$/.exec(expression) ?? []
    if (yaml !== undefined)
      return `\n${stringify(at(yaml), wide)
        .trimEnd()
        .replaceAll(/^/gm, ' '.repeat(Number(indent)))}`
    if (/^toYaml \S+ \| sha256sum$/.test(expression)) return 'a-hash'
    const [, path, other] = /^(\S+) \| default (\S+)$/.exec(expression) ?? []
    if (path !== undefined) return String(at(path) || at(other ?? ''))
    const [, quoted] = /^(\S+) \| quote$/.exec(expression) ?? []
    if (quoted !== undefined) return JSON.stringify(at(quoted))
    assert.match(expression, /^\.\w+(\.\w+)+$/, `${expression} is not a construct of this test.`)
    return String(at(expression))
  }
  const [, condition, body = ''] = /^\{\{- if (\S+) \}\}\n([\s\S]*)\{\{- end \}\}\n$/.exec(template) ?? [null, null, template]
  if (condition !== null && condition !== undefined && !at(condition)) return ''
  return body.replaceAll(/(?:[ \t]*\n[ \t]*)?\{\{- (.+?) \}\}|\{\{ (.+?) \}\}/g, (_, trimmed?: string, plain?: string) =>
    textOf(trimmed ?? plain ?? ''),
  )
}

const defaults = parse(read('helm/ostiary/values.yaml')) as Record<string, Record<string, unknown>> // as: compared with its schema
const values = {
  ...defaults,
  config: { ...defaults.config, OSTIARY_BASE_URL: 'https://id.example.com', OSTIARY_TRUSTED_PROXIES: '10.0.0.0/8' },
  networkPolicy: { ...defaults.networkPolicy, enabled: true },
}
const templates = globSync('*.yaml', { cwd: join(chart, 'templates') }).map((name) => read(`helm/ostiary/templates/${name}`))
const plain = globSync('*.yaml', { cwd: join(folder, 'kubernetes') }).flatMap((name) => manifestsIn(read(`kubernetes/${name}`)))
const of_chart = templates.flatMap((template) => manifestsIn(rendered(template, values)))

for (const [name, manifests] of [
  ['manifests', plain],
  ['chart', of_chart],
] as const) {
  test(`the ${name}: an update migrates once, and replaces pods without an interruption`, () => {
    const { spec } = only(manifests, 'Deployment').spec.template
    const [server] = spec.containers
    assert.deepEqual(
      [server.startupProbe?.httpGet.path, server.readinessProbe?.httpGet.path, server.livenessProbe?.httpGet.path],
      ['/readyz', '/readyz', '/healthz'],
    )
    // docs/operate.md, "Stop and restart": 20 s after the signal, which comes after preStop.
    const [, wait = ''] = /, (\d+)\)$/.exec(server.lifecycle?.preStop.exec.command.at(-1) ?? '') ?? []
    assert.equal(spec.terminationGracePeriodSeconds, Number(wait) / 1000 + 20)
    assert.deepEqual(only(manifests, 'Job').spec.template.spec.containers[0].args, ['migrate'])
    assert.ok(only(manifests, 'PodDisruptionBudget').spec.minAvailable < only(manifests, 'Deployment').spec.replicas)
  })

  test(`the ${name}: what selects pods selects those of the service, and no job`, () => {
    const { labels } = only(manifests, 'Deployment').spec.template.metadata
    const selectors = [
      only(manifests, 'Deployment').spec.selector.matchLabels,
      only(manifests, 'PodDisruptionBudget').spec.selector.matchLabels,
      only(manifests, 'NetworkPolicy').spec.podSelector.matchLabels,
      ...manifests.flatMap((each) => (each.kind === 'Service' ? [each.spec.selector] : [])),
    ]
    assert.equal(selectors.length, 5)
    for (const each of selectors) assert.deepEqual(each, labels)
    assert.notDeepEqual(only(manifests, 'Job').spec.template.metadata.labels, labels)
  })

  test(`the ${name}: ports, volumes and references lead to something`, () => {
    const [server] = only(manifests, 'Deployment').spec.template.spec.containers
    const ports = server.ports?.map((port) => port.name) ?? []
    for (const each of manifests)
      if (each.kind === 'Service') for (const { targetPort } of each.spec.ports) assert.ok(ports.includes(targetPort))
    for (const { ports: open } of only(manifests, 'NetworkPolicy').spec.ingress)
      for (const { port } of open) assert.ok(ports.includes(port))
    for (const kind of ['Deployment', 'Job'] as const) {
      const { containers, volumes } = only(manifests, kind).spec.template.spec
      assert.deepEqual(
        containers[0].volumeMounts.map((mount) => mount.name),
        volumes.map((volume) => volume.name),
      )
      assert.ok(containers[0].envFrom.some((from) => 'secretRef' in from && from.secretRef.name === 'ostiary'))
    }
  })

  test(`the ${name}: the configuration is valid with its secrets`, () => {
    const config = readConfig({
      ...only(manifests, 'ConfigMap').data,
      OSTIARY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      OSTIARY_DATABASE_URL: 'postgres://ostiary:a@postgres:5432/ostiary',
    })
    assert.ok(!Array.isArray(config), JSON.stringify(config))
    assert.equal(config.base_url, 'https://id.example.com')
    assert.deepEqual(config.metrics, { host: '0.0.0.0', port: 9464 })
  })
}

test('the manifests and the chart have the same objects; without their switches the chart has fewer', () => {
  assert.deepEqual(kindsOf(of_chart), kindsOf(plain.filter(({ kind }) => kind !== 'Secret')))
  const off = { ...defaults, migrate: { enabled: false }, podDisruptionBudget: { enabled: false } }
  assert.deepEqual(kindsOf(templates.flatMap((template) => manifestsIn(rendered(template, off)))), [
    'ConfigMap',
    'Deployment',
    'Service',
    'Service',
  ])
})

/** The variables that a file sets, or shows behind a `#`. */
const namesIn = (text: string) => [...text.matchAll(/^ *(?:# )?(OSTIARY_[A-Z_]+):/gm)].map(([, name = '']) => name)
const files: [name: string, text: string, without: string[]][] = [
  ['compose.yaml', read('compose.yaml'), []],
  ['kubernetes/config.yaml', read('kubernetes/config.yaml'), secrets],
  ['the values of the chart', read('helm/ostiary/values.yaml'), secrets],
]
for (const [name, text, without] of files)
  test(`${name} has every variable${without.length > 0 ? ' but the secrets' : ''}, each once`, () => {
    assert.deepEqual(namesIn(text).toSorted(), variables.filter((variable) => !without.includes(variable)).toSorted())
  })

test('the secret has the variables that the configuration leaves out', () => {
  assert.deepEqual(Object.keys(only(plain, 'Secret').stringData).toSorted(), secrets.toSorted())
})

test('the schema of the values knows every value, and no other', () => {
  const schema = JSON.parse(read('helm/ostiary/values.schema.json'))
  const compare = (value: unknown, { properties }: { properties?: Record<string, object> }, at: string): void => {
    if (properties === undefined || typeof value !== 'object' || value === null) return
    const known = Object.keys(properties).filter((name) => name !== 'global')
    assert.deepEqual(Object.keys(value).toSorted(), known.toSorted(), at)
    for (const [name, member] of Object.entries(value)) compare(member, properties[name] ?? {}, `${at}.${name}`)
  }
  compare(defaults, schema, 'values')
})

const set = {
  config: { OSTIARY_BASE_URL: 'https://id.example.com', OSTIARY_TRUSTED_PROXIES: '10.0.0.0/8' },
  networkPolicy: { enabled: true },
}

/** Helm as a program, or as the library of Python that CI installs. Each lints strictly and returns what it renders. */
const helms: [name: string, missing: string | false, render: () => string][] = [
  [
    'the program helm',
    spawnSync('helm', ['version']).status === 0 ? false : 'needs helm',
    () => {
      const values = ['--set-json', `config=${JSON.stringify(set.config)}`, '--set', 'networkPolicy.enabled=true']
      assert.equal(spawnSync('helm', ['lint', '--strict', chart, ...values]).status, 0)
      return outputOf('helm', ['template', 'ostiary', chart, ...values])
    },
  ],
  [
    'the library of Helm',
    spawnSync(python, ['-c', 'import helm_python']).status === 0 ? false : 'needs helm-python-sdk (see .ci/run)',
    () => outputOf(python, ['-c', of_library, chart, JSON.stringify(set)]),
  ],
]

function outputOf(program: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout
}

const sorted = (manifests: readonly Manifest[]) =>
  JSON.parse(
    JSON.stringify(manifests.toSorted((a, b) => (`${a.kind}${a.metadata.name}` < `${b.kind}${b.metadata.name}` ? -1 : 1))).replaceAll(
      /"checksum\/config":"[^"]*"/g,
      '"checksum/config":""',
    ),
  )
for (const [name, missing, render] of helms)
  test(`${name} accepts the chart, and renders what this test renders`, { skip: missing }, () => {
    assert.deepEqual(sorted(manifestsIn(render())), sorted(of_chart))
  })
