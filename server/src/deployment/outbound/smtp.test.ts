/** Deliveries to real mail servers: what arrives, how far a failed delivery gets, and what an attacker's server learns or can do. */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { makeCertificate } from '../../../test/support/certificate.ts'
import { certificate, readMessage, reply, startMailServer, startRawPeer } from '../../../test/support/mail-server.ts'
import { parseNetworks } from '../../base/networks.ts'
import type { Message } from './mime.ts'
import type { Resolve } from './resolve.ts'
import { createSmtp, type MailServer } from './smtp.ts'

const loopback = parseNetworks('127.0.0.0/8')
const webhook_allowed_networks = 'networks' in loopback ? loopback.networks : []
const base_url = 'https://login.example.com'
const names: Record<string, string[]> = { 'mail.test': ['127.0.0.1'], 'other.test': ['127.0.0.1'], 'metadata.test': ['169.254.169.254'], 'mixed.test': ['127.0.0.1', '10.0.0.1'], 'nothing.test': [], 'nonsense.test': ['a b'], 'public.test': ['203.0.114.5'], localhost: ['127.0.0.1', '::1'] } // biome-ignore format: a table
const resolve: Resolve = async (name) => names[name] ?? Promise.reject(new Error(`no ${name}`))
const smtp = createSmtp({ base_url, webhook_allowed_networks }, { resolve, ca: certificate.cert })
const strict = createSmtp({ base_url, webhook_allowed_networks: [] }, { resolve, ca: certificate.cert })
const impatient = createSmtp({ base_url, webhook_allowed_networks }, { resolve, ca: certificate.cert, timeout_ms: 1_000 })

const serverAt = (port: number, change: Partial<MailServer> = {}): MailServer => ({
  host: 'mail.test',
  port,
  tls: 'starttls',
  username: 'shop',
  password: 'smtp password',
  ...change,
})
const code = '482913'
const link = 'https://login.example.com/e/env_1/link?token=abcdefgh'
const messageTo = (to: string, change: Partial<Message> = {}): Message => ({
  message_id: 'eml_1@login.example.com',
  from: { name: 'Shöp, Inc.', address: 'shop@example.com' },
  to,
  date: new Date('2026-11-20T16:31:00Z'),
  subject: '[Test] Ihr Anmeldecode für Söhne 🧺',
  text: `${code} ist Ihr Code.\n.\n.. Grüße\n${link}\n`,
  html: `<p>${code}</p><p>Grüße ${link}</p>`,
  language: 'de',
  secrets: [code, link],
  ...change,
})
const send = (server: MailServer, message = messageTo('ada@example.com'), by = smtp) =>
  by({ server, message, reply_timeout_ms: by === impatient ? 300 : 30_000 })
const outcomeOf = async (delivered: ReturnType<typeof send>) => {
  const { accepted, stage, reply, permanent } = await delivered
  return { accepted, stage, reply, permanent }
}

test('a message arrives whole by STARTTLS and by implicit TLS, after authentication', async () => {
  for (const tls of ['starttls', 'implicit'] as const) {
    const server = await startMailServer({ secure: tls === 'implicit' })
    const { accepted, stage, reply: answer } = await send(serverAt(server.port, { tls }))
    assert.deepEqual([accepted, stage], [true, 'data'], tls)
    assert.match(answer ?? '', /^250 /)
    const [mail, ...others] = server.received
    assert.equal(others.length, 0)
    assert.deepEqual([mail?.from, mail?.to, mail?.user, mail?.is_secure], ['shop@example.com', ['ada@example.com'], 'shop', true])
    const { headers, subject, text, html } = readMessage(mail?.raw ?? '')
    assert.equal(subject, '[Test] Ihr Anmeldecode für Söhne 🧺')
    assert.equal(text.replaceAll('\r\n', '\n'), messageTo('').text)
    assert.equal(html.replaceAll('\r\n', '\n'), messageTo('').html)
    const expected = { 'auto-submitted': 'auto-generated', 'message-id': '<eml_1@login.example.com>', 'content-language': 'de', to: 'ada@example.com', date: 'Fri, 20 Nov 2026 16:31:00 +0000' } // biome-ignore format: a table
    for (const [name, value] of Object.entries(expected)) assert.equal(headers.get(name), value, name)
    assert.ok(/^[\x20-\x7e\r\n\t]*$/.test(mail?.raw ?? ''), 'only 7-bit characters')
    assert.ok((mail?.raw ?? '').split('\r\n').every((line) => line.length <= 998))
  }
})

test('without a message, the exchange ends after authentication', async () => {
  const server = await startMailServer()
  const { accepted, stage } = await smtp({ server: serverAt(server.port), message: null, reply_timeout_ms: 0 })
  assert.deepEqual([accepted, stage, server.received.length], [true, 'auth', 0])
})

test('a server without 8BITMIME, SMTPUTF8, PIPELINING or SIZE gets the same message', async () => {
  const server = await startMailServer({ hide8BITMIME: true, hideSMTPUTF8: true, hidePIPELINING: true, hideSize: true })
  assert.equal((await send(serverAt(server.port))).accepted, true)
  assert.match(readMessage(server.received[0]?.raw ?? '').text, /Grüße/)
})

test('the domain of an address travels as A-labels, and a foreign local part by SMTPUTF8', async () => {
  const server = await startMailServer()
  assert.equal((await send(serverAt(server.port), messageTo('ada@müller.example'))).accepted, true)
  assert.equal((await send(serverAt(server.port), messageTo('däisy@müller.example'))).accepted, true)
  assert.deepEqual(
    server.received.map(({ raw, parameters }) => [readMessage(raw).headers.get('to'), parameters.includes('SMTPUTF8')]),
    [
      ['ada@xn--mller-kva.example', false],
      ['däisy@müller.example', true], // RFC 6532 §3.2: a header of an internationalised message holds the address as it is,
    ],
  )
})

test('a server without SMTPUTF8 gets no address with a foreign local part, and the failure is final', async () => {
  const server = await startMailServer({ hideSMTPUTF8: true })
  const expected = { accepted: false, stage: 'recipient', reply: null, permanent: true }
  assert.deepEqual(await outcomeOf(send(serverAt(server.port), messageTo('däisy@müller.example'))), expected)
  const from = { name: '', address: 'läden@example.com' }
  assert.deepEqual(await outcomeOf(send(serverAt(server.port), messageTo('ada@example.com', { from }))), expected)
  assert.equal((await send(serverAt(server.port), messageTo('ada@müller.example'))).accepted, true)
  assert.equal(server.received.length, 1)
})

// biome-ignore format: this table is read by column
const injections: [where: string, message: Message][] = [
  ['the name of the sender', messageTo('ada@example.com', { from: { name: 'Shop\r\nBcc: eve@example.com\r\n\r\n<p>', address: 'shop@example.com' } })],
  ['the name of the sender, as another address', messageTo('ada@example.com', { from: { name: 'Shop <eve@example.com>, "x', address: 'shop@example.com' } })],
  ['the subject',            messageTo('ada@example.com', { subject: 'Hi\r\nBcc: eve@example.com\r\n\r\n<p>' })],
  ['the subject, by a lone line feed', messageTo('ada@example.com', { subject: 'Hi\nBcc: eve@example.com' })],
  ['the text, as the end of the message', messageTo('ada@example.com', { text: 'Hi\r\n.\r\nMAIL FROM:<eve@example.com>\r\nRCPT TO:<eve@example.com>\r\n', html: '<p>Hi</p>\n.\n' })],
]
for (const [where, message] of injections)
  test(`nothing in ${where} becomes a header, a recipient or another message`, async () => {
    const server = await startMailServer()
    assert.equal((await send(serverAt(server.port), message)).accepted, true)
    const [mail, ...others] = server.received
    assert.deepEqual([mail?.to, mail?.from, others.length], [['ada@example.com'], 'shop@example.com', 0])
    const { headers } = readMessage(mail?.raw ?? '')
    assert.equal(headers.has('bcc'), false)
    assert.equal(headers.get('to'), 'ada@example.com')
    assert.match(headers.get('from') ?? '', /<shop@example\.com>$/)
  })

test('an address with a line break or a second address is refused before anything is sent', async () => {
  const server = await startMailServer()
  for (const to of ['ada@example.com>\r\nRCPT TO:<eve@example.com', 'ada@example.com\r\nRCPT TO:<eve@example.com>']) {
    const { accepted, stage } = await send(serverAt(server.port), messageTo(to))
    assert.deepEqual([accepted, stage], [false, 'recipient'])
  }
  assert.deepEqual(server.received, [])
})

const unreachable = { accepted: false, reply: null, permanent: false }
// biome-ignore format: this table is read by column
const guarded: [what: string, server: Partial<MailServer>, stage: string][] = [
  ['a name without addresses',                   { host: 'nothing.test' },                 'dns'],
  ['an unknown name',                            { host: 'unknown.test' },                 'dns'],
  ['an answer that is not an address',           { host: 'nonsense.test' },                'dns'],
  ['a private address',                          { host: '127.0.0.1', port: 25 },          'connect'],
  ['a private address in another spelling',      { host: '2130706433', port: 25 },         'connect'],
  ['a name of a metadata service',               { host: 'metadata.test', port: 25 },      'connect'],
  ['localhost',                                  { host: 'localhost', port: 25 },          'connect'],
  ['a public name at another port',              { host: 'public.test', port: 6379 },      'connect'],
  ['a public name without TLS',                  { host: 'public.test', port: 25, tls: 'none' }, 'connect'],
]
for (const [what, change, stage] of guarded)
  test(`without allowed networks, ${what} is not called`, async () => {
    assert.deepEqual(await outcomeOf(send(serverAt(587, change), undefined, strict)), { ...unreachable, stage })
  })

test('one forbidden address among those of a name refuses all', async () => {
  const server = await startMailServer()
  assert.deepEqual(await outcomeOf(send(serverAt(server.port, { host: 'mixed.test' }))), { ...unreachable, stage: 'connect' })
  assert.equal(server.sockets.size, 0)
})

test('another port and no TLS reach an allowed network', async () => {
  const server = await startMailServer({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true })
  assert.equal((await send(serverAt(server.port, { tls: 'none' }))).accepted, true)
  assert.equal(server.received[0]?.is_secure, false)
})

const stranger = makeCertificate('mail.test')
// biome-ignore format: this table is read by column
const tls_failures: [what: string, options: Parameters<typeof startMailServer>[0], server: Partial<MailServer>][] = [
  ['the certificate is of an unknown authority', stranger,                                          {}],
  ['the certificate is of an unknown authority', { ...stranger, secure: true },                     { tls: 'implicit' }],
  ['the certificate has another name',           {},                                                { host: 'other.test' }],
  ['the certificate has another name',           { secure: true },                                  { host: 'other.test', tls: 'implicit' }],
  ['the server offers no STARTTLS',              { disabledCommands: ['STARTTLS'], allowInsecureAuth: true }, {}],
  ['the server speaks plain text',               { disabledCommands: ['STARTTLS'], allowInsecureAuth: true }, { tls: 'implicit' }],
  ['the server speaks TLS 1.1',                  { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }, {}],
]
for (const [what, options, change] of tls_failures)
  test(`the delivery fails at tls when ${what} (${change.tls ?? 'starttls'}), and neither password nor mail is sent`, async () => {
    const server = await startMailServer(options)
    const { accepted, stage, permanent, cause } = await send(serverAt(server.port, change))
    assert.deepEqual([accepted, stage, permanent, server.received.length], [false, 'tls', false, 0])
    if (what.includes('certificate')) assert.match(String(cause), /certificate|altnames/, 'the log has the reason')
  })

// biome-ignore format: this table is read by column
const refusals: [what: string, options: Parameters<typeof startMailServer>[0], server: Partial<MailServer>, expected: object][] = [
  ['wrong credentials',          {},                                                      { password: 'wrong' },    { stage: 'auth', permanent: false, reply: /^535 / }],
  ['authentication switched off', { disabledCommands: ['AUTH'] },                          {},                       { stage: 'auth', permanent: false, reply: /^50[02] / }],
  ['a recipient for now',        { recipient: () => reply(450, 'Greylisted, try again') }, {},                       { stage: 'recipient', permanent: false, reply: /^450 .*Greylisted, try again$/ }],
  ['a recipient for good',       { recipient: () => reply(550, 'No such user') },          {},                       { stage: 'recipient', permanent: true, reply: /^550 .*No such user$/ }],
  ['the message for now',        { decide: () => reply(451, 'Later') },                    {},                       { stage: 'data', permanent: false, reply: /^451 .*Later$/ }],
  ['the message for good',       { decide: () => reply(554, 'Spam') },                     {},                       { stage: 'data', permanent: true, reply: /^554 .*Spam$/ }],
  ['everyone: it is shut down',  { onConnect: (_session, done) => done(reply(421, 'Closing')) }, {},                 { stage: 'greeting', permanent: false, reply: /^$/ }],
]
for (const [what, options, change, expected] of refusals)
  test(`a server that refuses ${what} is reported with its stage and its reply`, async () => {
    const server = await startMailServer(options)
    const { accepted, stage, permanent, reply: shown } = await send(serverAt(server.port, change))
    const { reply: pattern, ...rest } = expected as { reply: RegExp } // as: a row of the table
    assert.deepEqual({ stage, permanent }, rest)
    assert.equal(accepted, false)
    assert.match(shown ?? '', pattern)
  })

test('a reply that repeats the code, the link or the password is not shown', async () => {
  for (const text of [`spam: ${code}`, `see ${link}`, 'smtp password', Buffer.from('\0shop\0smtp password').toString('base64')]) {
    const server = await startMailServer({ decide: () => reply(554, text) })
    assert.deepEqual(await outcomeOf(send(serverAt(server.port))), { accepted: false, stage: 'data', permanent: true, reply: null })
  }
})

const plain = (port: number) => serverAt(port, { tls: 'none', username: null, password: null })
const ehlo = '250-mail.test\r\n250 HELP\r\n'
/** Answers the commands of a client in turn. The last entry is the misbehaviour. */
const script =
  (...replies: (string | ((socket: Socket) => unknown))[]) =>
  (socket: Socket) => {
    const next = () => {
      const step = replies.shift()
      if (typeof step === 'string') socket.write(step)
      else step?.(socket)
    }
    next()
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      if (!text.includes('\n')) return
      text = ''
      next()
    })
  }
const drip = (piece: string) => (socket: Socket) => {
  const timer = setInterval(() => socket.write(piece), 5)
  socket.once('close', () => clearInterval(timer))
}
const flood = (piece: string) => (socket: Socket) => {
  const pieces = piece.repeat(Math.ceil(16_384 / piece.length))
  const more = () => {
    while (!socket.destroyed && socket.write(pieces));
  }
  socket.on('drain', more)
  more()
}
const silent = () => {}
const destroy = (socket: Socket) => socket.destroy()
const half = (socket: Socket) => socket.end()

// biome-ignore format: this table is read by column
const misbehaviours: [what: string, answer: (socket: Socket) => unknown, stage: string][] = [
  ['says nothing',                                 silent,                                                       'greeting'],
  ['sends its banner slowly',                      drip('2'),                                                    'greeting'],
  ['sends lines of a banner without end',          drip('220-wait\r\n'),                                         'greeting'],
  ['floods lines of a banner',                     flood('220-wait\r\n'),                                        'greeting'],
  ['floods a line without end',                    flood('2'),                                                   'greeting'],
  ['floods empty lines',                           flood('\r\n'),                                                'greeting'],
  ['is an SSH server',                             script('SSH-2.0-OpenSSH_9.6\r\n', silent),                    'greeting'],
  ['is an HTTP server',                            script('HTTP/1.1 400 Bad Request\r\n\r\n', destroy),          'greeting'],
  ['closes at once',                               destroy,                                                      'greeting'],
  ['ends its side and stays half open',            half,                                                         'greeting'],
  ['does not answer EHLO',                         script('220 hi\r\n', silent),                                 'greeting'],
  ['sends extensions without end',                 script('220 hi\r\n', drip('250-X\r\n')),                      'greeting'],
  ['floods extensions',                            script('220 hi\r\n', flood('250-X\r\n')),                     'greeting'],
  ['breaks off at the sender',                     script('220 hi\r\n', ehlo, destroy),                          'recipient'],
  ['does not answer the sender',                   script('220 hi\r\n', ehlo, silent),                           'recipient'],
  ['is half open at the recipient',                script('220 hi\r\n', ehlo, '250 ok\r\n', half),               'recipient'],
  ['does not answer DATA',                         script('220 hi\r\n', ehlo, '250 ok\r\n', '250 ok\r\n', silent), 'recipient'],
  ['does not accept the message in time',          script('220 hi\r\n', ehlo, '250 ok\r\n', '250 ok\r\n', '354 go\r\n', silent), 'data'],
  ['drips its last reply',                         script('220 hi\r\n', ehlo, '250 ok\r\n', '250 ok\r\n', '354 go\r\n', drip('250-')), 'data'],
  ['floods its last reply',                        script('220 hi\r\n', ehlo, '250 ok\r\n', '250 ok\r\n', '354 go\r\n', flood('250-x\r\n')), 'data'],
  ['breaks off within the message',                script('220 hi\r\n', ehlo, '250 ok\r\n', '250 ok\r\n', '354 go\r\n', destroy), 'data'],
]
for (const [what, answer, stage] of misbehaviours)
  test(`the exchange ends when the server ${what}, and its connection is closed`, async () => {
    const peer = await startRawPeer(answer)
    assert.deepEqual(await outcomeOf(send(plain(peer.port), undefined, impatient)), { ...unreachable, stage })
    for (const socket of peer.open) socket.destroy()
  })

test('the exchange ends when the caller stops it', async () => {
  const peer = await startRawPeer(silent)
  const stop = new AbortController()
  const delivered = smtp({ server: plain(peer.port), message: messageTo('ada@example.com'), reply_timeout_ms: 300, signal: stop.signal })
  stop.abort()
  assert.equal((await delivered).accepted, false)
})

test('a peer that is not a mail server sees no reply of its own shown', async () => {
  for (const banner of ['500 internal secret\r\n', '554 go away\r\n', '+OK internal POP3\r\n', '2200 x\r\n', '220x\r\n']) {
    const peer = await startRawPeer(script(banner, '500 internal secret\r\n', destroy))
    assert.equal((await send(plain(peer.port), undefined, impatient)).reply, null, banner)
  }
})

test('a reply in plain text before the TLS handshake is not taken for one after it', async () => {
  const peer = await startRawPeer(
    script('220 hi\r\n', '250-mail.test\r\n250 STARTTLS\r\n', '220 go\r\n250-mail.test\r\n250 AUTH PLAIN\r\n', silent),
  )
  const { accepted, stage } = await send(serverAt(peer.port), undefined, impatient)
  assert.deepEqual([accepted, stage], [false, 'tls'])
})
