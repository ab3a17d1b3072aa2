/** The message of each command if PostgreSQL and OSTIARY_DATABASE_URL do not agree on TLS. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { makeAuthority } from './support/certificate.ts'
import { noPostgres, type Postgres, runCommand, startPostgres } from './support/postgres.ts'
import { changed, commands, outcomeOf, refusalOf } from './support/start-refusal.ts'

/** A server with TLS, and one without. Each has these databases, and who may connect to them is a matter of TLS. */
const databases = ['with_tls', 'without_tls', 'to_nobody', 'rejected']
const access = `
host      postgres    all 127.0.0.1/32 scram-sha-256
hostssl   with_tls    all 127.0.0.1/32 scram-sha-256
hostnossl without_tls all 127.0.0.1/32 scram-sha-256
hostssl   rejected    all 127.0.0.1/32 scram-sha-256
host      rejected    all 127.0.0.1/32 reject
`
const { ca, server: certificate } = makeAuthority('127.0.0.1')
const files = { 'server.crt': certificate.cert, 'server.key': certificate.key, 'pg_hba.conf': access }

let secure: Postgres
let plain: Postgres
before(async () => {
  if (noPostgres) return
  secure = await startPostgres({ more: { settings: ['ssl=on'], files } })
  plain = await startPostgres({ more: { files } })
  for (const { url } of [secure, plain]) for (const name of databases) await runCommand(url, `create database ${name}`)
})
after(async () => {
  await secure?.stop()
  await plain?.stop()
})

const folder = mkdtempSync(join(tmpdir(), 'ostiary-tls-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const root = join(folder, 'ca.crt')
writeFileSync(root, ca)

type Server = () => Postgres
const withTls: Server = () => secure
const withoutTls: Server = () => plain

// biome-ignore format: this table is read by column
const refusals: [what: string, server: Server, database: string, search: string, says: RegExp][] = [
  ['TLS is demanded',                                withTls,    'with_tls',    'sslmode=disable',     /takes no connection without TLS from here: .*no encryption\. Take sslmode=disable out of OSTIARY_DATABASE_URL/],
  ['all without TLS are rejected',                   withTls,    'rejected',    'sslmode=disable',     /takes no connection without TLS from here: .*rejects.*no encryption\. Take sslmode=disable out/],
  ['TLS is refused',                                 withTls,    'without_tls', '',                    /takes no connection with TLS from here: .*SSL encryption\. Let its pg_hba\.conf .*sslmode=disable/],
  ['TLS is refused, and the address demands it',     withTls,    'without_tls', 'sslmode=require',     /takes no connection with TLS from here: .*SSL encryption\. Let its pg_hba\.conf/],
  ['no line of pg_hba.conf fits',                    withTls,    'to_nobody',   '',                    /takes no connection with TLS from here: .*Let its pg_hba\.conf/],
  ['the server has no TLS, and the address demands it', withoutTls, 'postgres', 'sslmode=require',     /has no TLS, and sslmode=require .* demands it\. Turn ssl on/],
  ['the server has no TLS to verify',                withoutTls, 'postgres',    'sslmode=verify-full', /has no TLS, and sslmode=verify-full .* demands it\. Turn ssl on/],
  ['TLS is demanded by a server that has none',      withoutTls, 'with_tls',    '',                    /takes no connection without TLS from here, and has no TLS: .*Turn ssl on .*or let its pg_hba\.conf/],
  ['the authority is unknown',                       withTls,    'with_tls',    'sslmode=verify-full', /certificate of the database is not accepted: .*sslrootcert/],
  ['the certificate has another name',               withTls,    'with_tls',    `sslmode=verify-full&sslrootcert=${root}&host=localhost`, /certificate of the database is not accepted: .*localhost/],
  ['the file of the authority is not there',         withTls,    'with_tls',    'sslmode=verify-full&sslrootcert=/nowhere.crt', /cannot be read: .*\/nowhere\.crt/],
]
for (const [what, server, database, search, says] of refusals)
  test(`where ${what}, every command says so, and what to change`, { skip: noPostgres }, async () => {
    const url = changed(server().url, { pathname: `/${database}`, search })
    for (const command of what === 'TLS is demanded' ? Object.keys(commands) : ['migrate', 'doctor']) {
      const said = await refusalOf(command, url)
      assert.match(said, says)
      assert.doesNotMatch(said, /nothing was changed|password of OSTIARY_DATABASE_URL/i)
    }
  })

test(
  'a database that demands TLS is migrated with it, and the certificate is verified where the address says so',
  {
    skip: noPostgres,
  },
  async () => {
    for (const search of ['', 'sslmode=require', `sslmode=verify-full&sslrootcert=${root}`]) {
      const { code, stderr } = await outcomeOf('migrate', changed(secure.url, { pathname: '/with_tls', search }))
      assert.equal(code, 0, `${search}: ${stderr}`)
    }
  },
)
