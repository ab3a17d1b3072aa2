#!/usr/bin/env bash
# Version: nodemailer 10.6.0 and smtp-server 3.21.6 (npm): a transport with a user and a password, and a mail server that takes mail without a sign-in
# and offers no AUTH, as many do inside a network.
#
# Guess: `verify` fails, since it is said to check the connection and the credentials, and so does `sendMail`: the credentials cannot be used.
# Seen: both succeed. A server without AUTH gets the mail without a sign-in, and a wrong port or a changed server is seen only where the
# server, or one behind it, refuses the mail later. Only `forceAuth: true`, or SMTPConnection with its own `login`, signs in or fails.
#
# Needs Node 20 and npm. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --ignore-scripts --no-audit --no-fund nodemailer@10.6.0 smtp-server@3.21.6
cat >send.mjs <<'JS'
import { createTransport } from 'nodemailer'
import { SMTPServer } from 'smtp-server'

const server = new SMTPServer({ authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'], onData: (message, { user }, done) => message.resume().on('end', () => done(null, `for ${user ?? 'nobody'}`)) })
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const at = { host: '127.0.0.1', port: server.server.address().port, auth: { user: 'shop', pass: 'no such password' } }
const mail = { from: 'shop@example.com', to: 'ada@example.com', text: 'note' }
for (const more of [{}, { forceAuth: true }]) {
  const transport = createTransport({ ...at, ...more })
  const failed = ({ code, responseCode }) => `${code} ${responseCode}`
  console.log(JSON.stringify(more), 'verify:', await transport.verify().catch(failed), '| sendMail:', await transport.sendMail(mail).then(({ response }) => response, failed))
}
server.close()
JS
node send.mjs | tee outcome
diff outcome - <<'TEXT'
{} verify: true | sendMail: 250 for nobody
{"forceAuth":true} verify: EAUTH 500 | sendMail: EAUTH 500
TEXT
