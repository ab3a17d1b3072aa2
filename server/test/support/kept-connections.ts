/** The connections that `fetch` keeps for later calls. A service waits a quarter of a second for a request on each before it stops. */
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

const by_port = new Map<string, Set<Socket>>()

subscribe('undici:client:connected', (message) => {
  const { connectParams, socket } = message as { connectParams: { port: string }; socket: Socket } // as: undici documents it
  const sockets = by_port.get(connectParams.port) ?? new Set()
  by_port.set(connectParams.port, sockets.add(socket))
  socket.once('close', () => sockets.delete(socket))
})

export function endKeptConnections(port: number): void {
  for (const socket of by_port.get(String(port)) ?? []) socket.destroy()
  by_port.delete(String(port))
}
