#!/usr/bin/env bash
# Version: nodemailer 10.6.0 and smtp-server 3.21.6 (npm): a mail to an address with a letter beyond ASCII before the @, for a server that offers
# SMTPUTF8, and for one that does not.
#
# Guess: without the extension nothing is sent, and the error names the recipient (RFC 6531 §3.2: such an address goes to no server without it).
# Seen: nodemailer leaves the parameter SMTPUTF8 out and sends the address nevertheless, as bytes of UTF-8. The server of the same author takes
# it, so the mail counts as accepted; what a strict server makes of the bytes is its own matter. A sender has to look at the
# extensions itself, and only the member `_supportedExtensions` of SMTPConnection has them.
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

for (const hideSMTPUTF8 of [false, true]) {
  const onData = (message, { envelope }, done) => {
    const { mailFrom, rcptTo } = envelope
    console.log(`${hideSMTPUTF8 ? 'without' : 'with'} SMTPUTF8: parameter ${mailFrom.args?.SMTPUTF8 === true}, recipient ${rcptTo[0].address}`)
    message.resume().on('end', () => done(null, 'queued'))
  }
  const server = new SMTPServer({ authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'], hideSMTPUTF8, onData })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const transport = createTransport({ host: '127.0.0.1', port: server.server.address().port })
  const { response, rejected } = await transport.sendMail({ from: 'shop@example.com', to: 'däisy@example.com', text: 'note' })
  console.log(response, JSON.stringify(rejected))
  server.close()
}
JS
node send.mjs | tee outcome
diff outcome - <<'TEXT'
with SMTPUTF8: parameter true, recipient däisy@example.com
250 queued []
without SMTPUTF8: parameter false, recipient däisy@example.com
250 queued []
TEXT
