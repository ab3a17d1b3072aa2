/** A server on the loopback, and clients that open bare connections to it. All end with the test. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** @param allowHalfOpen the client keeps its own side open when the server ends its side */
export async function openListener(t: TestContext, server: Server, { allowHalfOpen = false } = {}) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo // as: the server listens on a port
  return async function open(): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen }).on('error', () => {})
    sockets.push(socket)
    await Promise.all([once(socket, 'connect'), once(server, 'connection')])
    return socket
  }
}
