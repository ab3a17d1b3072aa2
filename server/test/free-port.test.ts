/** A port of a test is taken by no other test. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { freePort } from './support/free-port.ts'

test('no port is given twice, also not to another process, and a server can listen on it on both loopbacks', async () => {
  const mine = Promise.all(Array.from({ length: 300 }, freePort))
  const ports = (await Promise.all([mine, ...Array.from({ length: 4 }, () => portsOfAnotherProcess(300))])).flat()
  assert.equal(ports.length, 1500)
  assert.equal(new Set(ports).size, 1500)
  for (const port of ports.slice(0, 20))
    for (const host of ['127.0.0.1', 'localhost']) {
      const server = createServer().listen(port, host)
      await once(server, 'listening')
      server.close()
      await once(server, 'close')
    }
})

/** The process keeps them until the tests end: it waits for a message. */
async function portsOfAnotherProcess(count: number): Promise<number[]> {
  const program = `
    const { freePort } = await import(${JSON.stringify(import.meta.resolve('./support/free-port.ts'))})
    process.on('message', () => {})
    process.send(await Promise.all(Array.from({ length: ${count} }, freePort)))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  after(() => child.kill('SIGKILL'))
  const [ports] = await once(child, 'message')
  return ports
}
