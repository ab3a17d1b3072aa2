/** A forward proxy on this machine that takes CONNECT: it resolves names by a function of the test. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after } from 'node:test'

/** A port of this machine to connect to, a status to answer with, bytes to write as they are, or `null`: no answer. */
type Decision = { port: number } | { status: number } | { bytes: string } | null

export async function startConnectProxy(decide: (target: string) => Decision) {
  const targets: string[] = []
  const credentials: (string | undefined)[] = []
  const sockets = new Set<Socket>()
  const server = createServer((_, response) => response.writeHead(405).end())
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket)).on('error', () => {})
  })
  server.on('connect', ({ url = '', headers }, stream) => {
    const client = stream as Socket // as: a server on TCP has such sockets
    targets.push(url)
    credentials.push(headers['proxy-authorization'])
    const decision = decide(url)
    if (decision === null || !('port' in decision)) client.resume().on('end', () => client.destroy())
    if (decision === null) return
    if ('bytes' in decision) return void client.write(decision.bytes)
    if ('status' in decision) return void client.end(`HTTP/1.1 ${decision.status} No\r\nContent-Length: 0\r\n\r\n`)
    const target = connect(decision.port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      target.pipe(client).pipe(target)
    })
    target.on('error', () => client.destroy()).on('close', () => client.destroySoon())
    client.on('error', () => target.destroy()).on('close', () => target.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  after(close)
  const { port } = server.address() as AddressInfo // as: a server on TCP has one
  return { targets, credentials, port, sockets, close, proxy: { host: '127.0.0.1', port, authorization: null } }
}
