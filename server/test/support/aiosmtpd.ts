/** A second implementation of a mail server, aiosmtpd, if this machine's Python has it: Debian's python3-aiosmtpd, or PyPI's. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after } from 'node:test'
import { certificate, type ReceivedMail } from './mail-server.ts'

const python = process.env.OSTIARY_TEST_PYTHON ?? 'python3'

/** For `test('…', { skip: noAiosmtpd }, …)`: why there is no aiosmtpd, or `false`. */
export const noAiosmtpd = spawnSync(python, ['-c', 'import aiosmtpd']).status === 0 ? false : 'needs Python with aiosmtpd'

/** Prints its port, then each message as a line of JSON. A recipient "later@…" is refused once, "dropped@…" breaks off once. */
const program = `
import asyncio, json, ssl, sys
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

options = json.loads(sys.argv[1])
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(options['cert'], options['key'])
seen = set()

def say(value):
    print(json.dumps(value), flush=True)

class Handler:
    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith('later@') and address not in seen:
            seen.add(address)
            return '451 4.7.1 Later'
        envelope.rcpt_tos.append(address)
        return '250 OK'
    async def handle_DATA(self, server, session, envelope):
        say({'from': envelope.mail_from, 'to': envelope.rcpt_tos, 'parameters': envelope.mail_options,
             'raw': envelope.content.decode('utf-8'), 'user': session.auth_data, 'is_secure': server.transport.get_extra_info('sslcontext') is not None})
        if envelope.rcpt_tos[0].startswith('dropped@') and envelope.rcpt_tos[0] not in seen:
            seen.add(envelope.rcpt_tos[0])
            server.transport.abort()
        return '250 2.0.0 Message accepted'

def authenticate(server, session, envelope, mechanism, data):
    ok = isinstance(data, LoginPassword) and data.login == b'shop' and data.password == b'smtp password'
    return AuthResult(success=ok, handled=False, auth_data='shop' if ok else None)

async def main():
    loop = asyncio.get_running_loop()
    implicit = options['tls'] == 'implicit'
    factory = lambda: SMTP(Handler(), enable_SMTPUTF8=True, authenticator=authenticate, auth_required=True,
                           auth_require_tls=not implicit, require_starttls=not implicit,
                           tls_context=None if implicit else context, loop=loop)
    server = await loop.create_server(factory, '127.0.0.1', 0, ssl=context if implicit else None)
    say(server.sockets[0].getsockname()[1])
    await server.serve_forever()

asyncio.run(main())
`

export async function startAiosmtpd(tls: 'starttls' | 'implicit') {
  const folder = mkdtempSync(join(tmpdir(), 'ostiary-aiosmtpd-'))
  const options = { tls, cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  writeFileSync(options.cert, certificate.cert)
  writeFileSync(options.key, certificate.key, { mode: 0o600 })
  const server = spawn(python, ['-c', program, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] })
  after(() => {
    server.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const lines = createInterface({ input: server.stdout })
  const received: ReceivedMail[] = []
  const port = await new Promise<number>((resolve, reject) => {
    server.once('exit', (code) => reject(new Error(`aiosmtpd ended with ${code}.`)))
    lines.on('line', (line) => {
      const value = JSON.parse(line)
      if (typeof value === 'number') resolve(value)
      else received.push(value)
    })
  })
  return { port, received }
}
