#!/usr/bin/env bash
# Version: Chromium 147.0.7727.0 (headless), of @sparticuz/chromium 147.0.0 (npm), driven by playwright-core 1.64.1 (npm).
#
# Guess: where PublicKeyCredential.getClientCapabilities() says conditionalCreate, navigator.credentials.create() with mediation "conditional" settles
# soon: the passkey is made, or the promise is rejected with NotAllowedError since no password was filled in (WebAuthn Level 3, §5.1.3). A virtual
# authenticator of the DevTools protocol (WebAuthn §11) that answers every other request at once makes it.
# Seen: conditionalCreate is true without any authenticator too. There the promise is rejected at once, with NotSupportedError. With a virtual authenticator
# the passkey is not made, and the promise stays open until the `timeout` of the options has passed, which is minutes where they have none, whereas
# the same request without mediation is answered at once. So a page that waits for it needs a deadline of its own.
#
# Needs Node 20 and npm on Linux (x64). Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --ignore-scripts --no-audit --no-fund @sparticuz/chromium@147.0.0 playwright-core@1.64.1
cat >unpack.mjs <<'JS'
import chromium from '@sparticuz/chromium'
await chromium.executablePath()
JS
TMPDIR=$folder AWS_EXECUTION_ENV=AWS_Lambda_nodejs22.x node unpack.mjs # it unpacks its shared libraries only there
echo "<fontconfig><dir>$folder/fonts</dir><cachedir>$folder/fonts/cache</cachedir></fontconfig>" >fonts/fonts.conf

cat >ask.mjs <<'JS'
import { createServer } from 'node:http'
import { chromium } from 'playwright-core'

const server = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<!doctype html>')).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const browser = await chromium.launch({ executablePath: './chromium', args: ['--disable-gpu'], chromiumSandbox: false })
console.log(browser.version())

/** In the page: what becomes of a creation within four seconds. */
async function create({ mediation, timeout }) {
  const made = navigator.credentials.create({
    ...(mediation && { mediation }),
    publicKey: {
      challenge: new Uint8Array(32), rp: { name: 'Shop' }, user: { id: new Uint8Array([1]), name: 'ada', displayName: 'Ada' }, timeout,
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }], authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
    },
  })
  const late = new Promise((resolve) => setTimeout(resolve, 4000, 'no answer'))
  return Promise.race([made.then(() => 'made', ({ name }) => name), late])
}

for (const has_authenticator of [false, true]) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`http://localhost:${server.address().port}`)
  if (has_authenticator) {
    const session = await context.newCDPSession(page)
    await session.send('WebAuthn.enable')
    const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
    await session.send('WebAuthn.addVirtualAuthenticator', { options })
  }
  const { conditionalCreate } = await page.evaluate(async () => (await PublicKeyCredential.getClientCapabilities()))
  const said = []
  for (const options of [{ mediation: 'conditional' }, { mediation: 'conditional', timeout: 1000 }, {}]) {
    said.push(await page.evaluate(create, options))
    await page.reload()
  }
  console.log(`authenticator ${has_authenticator}, conditionalCreate ${conditionalCreate}, conditional: ${said[0]}, with a timeout: ${said[1]}, ordinary: ${said[2]}`)
  await context.close()
}
await browser.close()
server.close()
JS
LD_LIBRARY_PATH="$folder/al2023/lib" FONTCONFIG_PATH="$folder/fonts" timeout 60 node ask.mjs | tee outcomes
diff outcomes - <<'TEXT'
147.0.7727.0
authenticator false, conditionalCreate true, conditional: NotSupportedError, with a timeout: NotSupportedError, ordinary: NotSupportedError
authenticator true, conditionalCreate true, conditional: no answer, with a timeout: NotAllowedError, ordinary: made
TEXT
