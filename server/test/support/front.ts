/**
 * A reverse proxy with TLS in front of a world. With OSTIARY_TEST_FRONT the world of a test file has one: `node` is a small proxy of this
 * process, `nginx` the real program. OSTIARY_TEST_ISSUERS=host then gives its environments issuers with hosts of their own. A chosen list
 * of test files runs in this way too; see `both_issuers`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request as sendRequest } from 'node:http'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { awaiting } from './awaited.ts'
import { makeAuthority } from './certificate.ts'
import { leadHere } from './names.ts'

const example = join(import.meta.dirname, '../../../packaging/nginx.conf')
const kind = process.env.OSTIARY_TEST_FRONT ?? null
/** A folder made by `writeCertificates`, whose authority the process trusts. */
const given_certificate = process.env.OSTIARY_TEST_CERTIFICATE ?? null

const front_host = 'id.front.example'
const front_names = [front_host, '*.issuer.example'] as const

/** The tests that also run with issuers on hosts of their own. */
export const both_issuers: readonly string[] = [
  'server/test/browser/oidc-client-ts.test.ts',
  'server/test/flows/backchannel-logout.test.ts',
  'server/test/flows/clients.test.ts',
  'server/test/flows/cross-origin.test.ts',
  'server/test/flows/logout.test.ts',
  'server/test/flows/mcp-programs.long.test.ts',
  'server/test/flows/metadata-clients.test.ts',
  'server/test/flows/private-key-jwt.test.ts',
  'server/test/flows/providers.test.ts',
]

/** Whether the worlds of this process have a proxy in front. */
export const has_front = kind !== null
/** Whether the environments of these worlds have issuers with hosts of their own. */
export const has_own_hosts = has_front && process.env.OSTIARY_TEST_ISSUERS === 'host'

/** The configuration of a service that has the proxy in front of it. */
export const frontEnvironment = (port: number): Record<string, string> => ({
  OSTIARY_BASE_URL: `https://${front_host}:${port}`,
  OSTIARY_TRUSTED_PROXIES: '127.0.0.0/8',
  ...(has_own_hosts ? { OSTIARY_ISSUER_HOSTS: `${front_names[1]}=acme` } : {}),
})

let issuers = 0
/** The folder of this process's certificate. A second authority of the same name would leave it to chance which of them OpenSSL asks. */
let own_certificate: string | null = null

/** An issuer for one more environment. */
export const ownIssuer = (port: number): string => `https://e${++issuers}.issuer.example:${port}`

/** With this environment another program trusts the proxy of this process and finds it: Node, and Python with the client of `mcp-client.py`. */
export function environmentOfPrograms(): Record<string, string> {
  if (!has_front) return { NODE_OPTIONS: '' }
  const ca = join(given_certificate ?? ownCertificate(), 'ca.pem')
  const hook = new URL('./names-process.ts', import.meta.url).href
  return {
    OSTIARY_TEST_NAMES: JSON.stringify(front_names),
    NODE_OPTIONS: `--import=${hook}`,
    NODE_EXTRA_CA_CERTS: ca,
    SSL_CERT_FILE: ca,
  }
}

interface Front {
  stop: () => Promise<void>
  /** With these, curl finds the proxy and trusts it. */
  curl_options: readonly string[]
}

/** Starts the proxy. */
export async function startFront(port: number, service_port: number): Promise<Front> {
  leadHere(...front_names)
  const folder = mkdtempSync(join(tmpdir(), 'ostiary-front-'))
  const certificate = given_certificate ?? ownCertificate()
  const place = { port, service_port, folder, certificate }
  const end = kind === 'nginx' ? await startNginx(place) : await startProxy(place)
  return {
    async stop() {
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
    curl_options: ['--resolve', `*:${port}:127.0.0.1`, '--cacert', join(certificate, 'ca.pem')],
  }
}

/** Makes the certificate of all proxies of this process, which trusts its authority from then on. */
function ownCertificate(): string {
  if (own_certificate === null) {
    const folder = mkdtempSync(join(tmpdir(), 'ostiary-front-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), writeCertificates(folder)])
    own_certificate = folder
  }
  return own_certificate
}

/** Writes a certificate for the proxy, its key, and the certificate of its authority, which is returned. */
export function writeCertificates(folder: string): string {
  const { ca, server } = makeAuthority(...front_names)
  writeFileSync(join(folder, 'ca.pem'), ca)
  writeFileSync(join(folder, 'server.pem'), server.cert)
  writeFileSync(join(folder, 'server.key'), server.key, { mode: 0o600 })
  return ca
}

interface Place {
  port: number
  service_port: number
  folder: string
  /** The folder of the certificate. */
  certificate: string
}

async function startProxy({ port, service_port, certificate }: Place): Promise<() => void> {
  const [key, cert] = [readFileSync(join(certificate, 'server.key')), readFileSync(join(certificate, 'server.pem'))]
  const agent = new Agent({ keepAlive: true })
  const proxy = createServer({ key, cert }, (request, response) => {
    const { method, url: path, headers } = request
    const target = { host: '127.0.0.1', port: service_port, method, path, agent }
    const sent = sendRequest({ ...target, headers: { ...headers, 'x-forwarded-for': request.socket.remoteAddress } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(response)
    })
    response.on('close', () => sent.destroy())
    sent.on('error', () => response.destroy())
    request.pipe(sent)
  })
  await new Promise<void>((resolve, reject) => proxy.once('error', reject).listen(port, '127.0.0.1', resolve))
  return () => {
    proxy.close()
    proxy.closeAllConnections()
    agent.destroy()
  }
}

/** Starts nginx with the example for operators. Its logs are in `folder`, each line of an answered request once the returned function is done. */
export async function startNginx(place: Place): Promise<() => Promise<unknown>> {
  const { folder, port } = place
  writeFileSync(join(folder, 'nginx.conf'), configuration(place))
  const program = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  program.stderr.on('data', (text) => {
    said += text
  })
  const ended = once(program, 'exit')
  const failed = ended.then(() => Promise.reject(new Error(`nginx ended: ${said}`)))
  failed.catch(() => {})
  await awaiting('nginx answers', Promise.race([failed, answers(port)]))
  return () => {
    program.kill('SIGQUIT') // nginx writes the line of a request after its answer, and SIGTERM would lose it
    return awaiting('nginx ends', ended)
  }
}

/** The example for operators, at this port, with this certificate and this service behind it. */
const configuration = ({ port, service_port, folder, certificate }: Place) => `
daemon off;
${process.getuid?.() === 0 ? 'user root; # or a worker could not write bodies into the folder' : ''}
worker_processes 1;
pid ${folder}/pid;
error_log stderr warn;
events { worker_connections 512; }
http {
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  ${readFileSync(example, 'utf8')
    .replaceAll('/etc/ssl/ostiary/fullchain.pem', join(certificate, 'server.pem'))
    .replaceAll('/etc/ssl/ostiary/privkey.pem', join(certificate, 'server.key'))
    .replaceAll('/var/log/nginx', folder)
    .replaceAll('server 127.0.0.1:3000;', `server 127.0.0.1:${service_port};`)
    .replace(/listen 443 ssl;\s+listen \[::\]:443 ssl;/, `listen 127.0.0.1:${port} ssl http2;`)
    .replace(/listen 80;\s+listen \[::\]:80;/, `listen unix:${folder}/plain;`)
    .replaceAll(/server_name .*;/g, 'server_name _;')}
}
`

/** Waits until a TLS server accepts connections. */
async function answers(port: number): Promise<void> {
  for (;;) {
    const is_up = await new Promise<boolean>((resolve) => {
      const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => resolve(socket.end() !== null))
      socket.on('error', () => resolve(false))
    })
    if (is_up) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
