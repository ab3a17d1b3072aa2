/** The part of `ostiary doctor` about the egress proxy: whether it answers, and whether it keeps private addresses out of reach. */
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isPrivateLiteral } from '@ostiary/server/base/addresses.ts'
import { type Config, type EgressProxy, ineffectiveProxyVariables } from '@ostiary/server/base/config/config.ts'
import { openTunnel, ProxyFailed } from '@ostiary/server/deployment/outbound/egress-proxy.ts'
import type { Finding } from './finding.ts'

const timeout_ms = 3_000
const metadata_service = '169.254.169.254:80'
const most_own_addresses = 3

export async function checkEgress(config: Config, variables: readonly string[] = ineffectiveProxyVariables()): Promise<Finding[]> {
  const { egress_proxy } = config
  const ineffective = ineffectiveVariables(egress_proxy, variables)
  return egress_proxy === null ? ineffective : [...(await checkProxy(egress_proxy, config)), ...ineffective]
}

function ineffectiveVariables(egress_proxy: EgressProxy | null, names: readonly string[]): Finding[] {
  if (names.length === 0) return []
  const [be, have] = names.length === 1 ? ['is', 'has'] : ['are', 'have']
  const text = `${names.join(', ')} ${be} set and ${have} no effect: only OSTIARY_EGRESS_PROXY names a proxy for outgoing calls.`
  return [{ level: egress_proxy === null ? 'warning' : 'ok', text }]
}

/** The answer of the proxy to CONNECT: it connected, it answered with an error, or it gave no answer. */
type Outcome = { target: string; reached: boolean; failure: ProxyFailed | null }

async function checkProxy(proxy: EgressProxy, { webhook_allowed_networks: allowed }: Config): Promise<Finding[]> {
  const where = `The egress proxy ${proxy.host}:${proxy.port}`
  const here = await listenHere()
  // The proxy itself listens there, by a name and by an address.
  const targets = [`127.0.0.1:${proxy.port}`, `[::1]:${proxy.port}`, `localhost:${proxy.port}`, metadata_service, ...here.targets]
  const wanted = targets.filter((target) => isPrivateLiteral(new URL(`http://${target}`), allowed))
  const outcomes = await Promise.all(wanted.map((target) => tryTarget(proxy, target, here.wasReached)))
  here.close()
  const reached = outcomes.filter((outcome) => outcome.reached).map(({ target }) => target)
  if (reached.length > 0)
    return [
      {
        level: 'problem',
        text: `${where} connects to private addresses (${reached.join(', ')}). Let it refuse loopback, link-local and private networks: tenants choose where calls go.`,
      },
    ]
  const failures = outcomes.flatMap(({ failure }) => (failure === null ? [] : [failure]))
  if (failures.some(({ status }) => status === 407))
    return [{ level: 'problem', text: `${where} refuses its user and password (407). Correct them in OSTIARY_EGRESS_PROXY.` }]
  const silent = failures.find(({ status }) => status === null)
  if (wanted.length > 0 && failures.every(({ status }) => status === null))
    return [
      {
        level: 'problem',
        text: `${where} cannot be used. ${silent?.message ?? ''} Until it answers, no webhook, provider or key set is reached.`,
      },
    ]
  return [{ level: 'ok', text: `${where} answers, and refuses the private addresses that were tried (${wanted.length}).` }]
}

async function tryTarget(proxy: EgressProxy, target: string, wasReached: (target: string) => boolean): Promise<Outcome> {
  const end = new AbortController()
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new ProxyFailed(`It did not answer within ${timeout_ms / 1_000} s.`)), timeout_ms)
  try {
    await Promise.race([openTunnel(proxy, target, end.signal), late])
    return { target, reached: true, failure: null }
  } catch (error) {
    if (!(error instanceof ProxyFailed)) throw error
    return { target, reached: wasReached(target), failure: error }
  } finally {
    clearTimeout(timer)
    end.abort()
  }
}

/** Listens at addresses of this machine that the proxy may be able to reach, for the time of the check. */
async function listenHere() {
  const addresses = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .slice(0, most_own_addresses)
  const reached = new Set<string>()
  const servers = await Promise.all(addresses.map(({ address }) => listenAt(address, reached)))
  return {
    targets: servers.map(({ target }) => target),
    wasReached: (target: string) => reached.has(target),
    close() {
      for (const { server } of servers) server.close()
    },
  }
}

async function listenAt(address: string, reached: Set<string>) {
  const server = createServer((socket) => {
    reached.add(target())
    socket.on('error', () => {}).destroy()
  })
  const target = () => {
    const at = server.address()
    return `${address}:${typeof at === 'object' && at ? at.port : 0}`
  }
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, address, resolve))
  return { server, target: target() }
}
