/**
 * Issuers of both kinds behind nginx with TLS, whose authority is trusted through NODE_EXTRA_CA_CERTS. `.ci/run` installs nginx; without
 * it these tests are skipped.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { writeCertificates } from './support/front.ts'

const noNginx = spawnSync('nginx', ['-v']).status === 0 ? false : 'needs nginx'

const files = ['browser/oidc-client-ts', 'flows/clients', 'flows/logout', 'flows/providers'].map((name) =>
  join(import.meta.dirname, `${name}.test.ts`),
)

const folder = mkdtempSync(join(tmpdir(), 'ostiary-authority-'))
after(() => rmSync(folder, { recursive: true, force: true }))
writeCertificates(folder)

for (const issuers of ['path', 'host'] as const)
  test(`clients and flows work behind nginx with issuers of the kind ${issuers}`, { skip: noNginx }, async () => {
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
    const env = {
      ...inherited,
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      OSTIARY_TEST_CERTIFICATE: folder,
      OSTIARY_TEST_FRONT: 'nginx',
      OSTIARY_TEST_ISSUERS: issuers,
    }
    const args = [...process.execArgv, '--test', '--test-concurrency=1', '--test-reporter=tap', ...files]
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let report = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      report += text
    })
    const [code] = await once(child, 'close')
    assert.equal(code, 0, report)
    assert.ok(Number(/^# pass (\d+)$/m.exec(report)?.[1]) > 20, report)
  })
