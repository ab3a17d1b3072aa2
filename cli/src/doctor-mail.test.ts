/** `doctor` checks the mail servers of the settings, and outgoing TLS trusts the file of NODE_EXTRA_CA_CERTS. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '@ostiary/server/base/config/config.ts'
import { sql } from '@ostiary/server/db/db.ts'
import { sealed_columns } from '@ostiary/server/deployment/secrets/sealed-columns.ts'
import { openDeployment } from '@ostiary/server/main.ts'
import { ensureRoot } from '@ostiary/server/setup/root.ts'
import { commandLineTool } from '../../launch.mjs'
import { certificate, startMailServer } from '../../server/test/support/mail-server.ts'

const main = await commandLineTool('serve') // the build, as users run it
const folder = mkdtempSync(join(tmpdir(), 'ostiary-doctor-mail-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const authority = join(folder, 'authority.pem')
writeFileSync(authority, certificate.cert)

const doctor = (env: Record<string, string>) =>
  new Promise<{ code: number; stdout: string }>((resolve) => {
    const args = ['--disable-warning=ExperimentalWarning', main, 'doctor']
    const options = {
      env: { PATH: process.env.PATH ?? '', OSTIARY_DATA_DIR: folder, OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', ...env },
    }
    execFile(process.execPath, args, options, (error, stdout) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout }),
    )
  })

async function setPassword(port: number, password: string) {
  const config = readConfig({ OSTIARY_DATA_DIR: folder })
  if (Array.isArray(config)) throw new Error(JSON.stringify(config))
  const deployment = await openDeployment(config)
  const { environment_id } = await ensureRoot(deployment)
  const sealed = deployment.secrets.seal(password, sealed_columns.smtp_password.associatedData(environment_id))
  const smtp = { host: '127.0.0.1', port, username: 'shop', password: sealed }
  const settings = { email: { delivery: 'smtp', from: 'shop@example.com', smtp } }
  await deployment.db.run(sql`update environments set settings = ${settings} where id = ${environment_id}`)
  await deployment.db.close()
}

test('doctor signs in to the mail server of the root environment, and says what failed', async () => {
  const server = await startMailServer()
  await setPassword(server.port, 'smtp password')
  const untrusted = await doctor({})
  assert.equal(untrusted.code, 1)
  assert.match(
    untrusted.stdout,
    new RegExp(`PROBLEM\\s+The mail server 127\\.0\\.0\\.1:${server.port} of the root environment .* The step tls failed: .*certificate`),
  )
  const trusted = await doctor({ NODE_EXTRA_CA_CERTS: authority })
  assert.equal(trusted.code, 0, trusted.stdout)
  assert.match(trusted.stdout, /ok\s+The mail server .* can be used\./)
  await setPassword(server.port, 'wrong')
  const refused = await doctor({ NODE_EXTRA_CA_CERTS: authority })
  assert.match(refused.stdout, /PROBLEM\s+The mail server .* The step auth failed: 535 /)
  assert.ok(!refused.stdout.includes('wrong'))
  assert.deepEqual(server.received, [])
})
