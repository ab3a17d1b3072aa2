/** Sign-ins of the client: by loopback, by pasting, fresh, ended, and shared by commands that run at once. */
import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { createAgent } from '../../server/test/support/cookie-browser.ts'
import { until } from '../../server/test/support/receiver.ts'
import { owner, world } from '../../server/test/support/world.ts'
import type { Profiles } from '../src/client/profiles.ts'
import { answerTo, browserOf, openClient } from './support/terminal-of-client.ts'

const w = await world()
const openBrowser = browserOf(w)
const inTest = ['--project', 'shop', '--env', 'test']
const addressIn = (text: string) => /^http\S+\/oauth\/authorize\?\S+$/m.exec(text)?.[0] ?? ''

async function signedIn(...words: string[]) {
  const client = openClient(w)
  const { code, err } = await client.ostiary(['login', ...words], { openBrowser })
  assert.equal(code, 0, err)
  const file = join(client.folder, 'profiles.json')
  const stored = (): Profiles => JSON.parse(readFileSync(file, 'utf8'))
  return { ...client, file, stored, profile: () => stored().profiles[stored().current] }
}

test('login by loopback signs in, and whoami shows the administrator and the tenants', async () => {
  const { ostiary } = await signedIn()
  const { code, out } = await ostiary(['whoami'])
  assert.equal(code, 0)
  assert.match(out, new RegExp(`^profile +default\nuser_id +${w.owner_id}\nemail +${owner.email}\n`, 'm'))
  assert.match(out, /^tenant {2}acme {2}owner {2}Acme$/m)
  assert.match((await ostiary(['applications', 'list', ...inTest])).out, /^Nothing found|^ID/)
})

test('login ends with who signed in, in words, even if a key is set', async () => {
  for (const variables of [{}, { OSTIARY_KEY: w.key }]) {
    const { err } = await openClient(w, variables).ostiary(['login'], { openBrowser })
    assert.ok(err.includes(`Signed in at ${w.base_url} as ${owner.email}, owner of Acme`), err)
    assert.doesNotMatch(err.slice(err.indexOf('Signed in')), /usr_/)
  }
})

test('login without an address says how to name one where nothing answers, and with an address that nothing does', async () => {
  const nowhere = 'http://127.0.0.1:1'
  const { ostiary } = openClient(w, { OSTIARY_URL: nowhere })
  const { code, err } = await ostiary(['login'])
  assert.deepEqual([code, /^http:\/\/127\.0\.0\.1:1 cannot be reached\. .*"ostiary login --url ADDRESS"\.\n$/.test(err)], [1, true], err)
  assert.deepEqual(await ostiary(['login', '--url', nowhere]), { code: 1, out: '', err: `${nowhere} cannot be reached.\n` })
})

test('the profiles are readable by their owner only, and in a folder of their own', async () => {
  const { folder } = await signedIn()
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
  assert.deepEqual(readdirSync(folder).sort(), ['profiles.json', 'profiles.lock'])
})

test('profiles that others can read are refused, and so is a file that is not a list of profiles', async () => {
  const { ostiary, file } = await signedIn()
  chmodSync(file, 0o640)
  const refused = await ostiary(['whoami'])
  assert.deepEqual([refused.code, refused.err.startsWith(`Other users can read ${file}.`)], [2, true])
  chmodSync(file, 0o600)
  writeFileSync(file, '{')
  assert.equal((await ostiary(['whoami'])).code, 2)
})

const pasted: [what: string, (answer: URL) => string][] = [
  ['the address where the browser ended', String],
  ['the code alone', (answer) => answer.searchParams.get('code') ?? ''],
]
for (const [what, paste] of pasted)
  test(`login takes ${what}, pasted at a machine that the browser does not reach`, async () => {
    const { ostiary } = openClient(w)
    const input = new PassThrough()
    let said = ''
    let is_answered = false
    const result = await ostiary(['login', '--no-browser'], {
      input,
      openBrowser: () => assert.fail('no browser'),
      said: (text) => {
        said += text
        if (addressIn(said) === '' || is_answered) return
        is_answered = true
        answerTo(addressIn(said)).then((answer) => {
          input.write('http://127.0.0.1/callback?code=other&state=other\n')
          input.write(`${paste(answer)}\n`)
        })
      },
    })
    assert.equal(result.code, 0, result.err)
    assert.match(result.err, /This is not the address of this sign-in/)
    assert.equal((await ostiary(['whoami'])).code, 0)
  })

test('the loopback port answers nobody who does not know the state', async () => {
  const { ostiary } = openClient(w)
  const statuses: number[] = []
  const { code } = await ostiary(['login'], {
    openBrowser: (url) => {
      const redirect_uri = new URL(url).searchParams.get('redirect_uri') ?? ''
      const attempt = async () => {
        for (const query of ['', '?code=x', '?code=x&state=y', '?error=access_denied&state='])
          statuses.push((await fetch(redirect_uri + query)).status)
        statuses.push((await fetch(redirect_uri.replace('/callback', '/other'))).status)
        openBrowser(url)
      }
      attempt()
    },
  })
  assert.deepEqual([code, statuses], [0, [400, 400, 400, 400, 400]])
})

test('a denied sign-in is exit code 1 and stores nothing', async () => {
  const { ostiary, folder } = openClient(w)
  const { code, err } = await ostiary(['login'], {
    openBrowser: (url) => {
      const { searchParams } = new URL(url)
      fetch(`${searchParams.get('redirect_uri')}?error=access_denied&error_description=No&state=${searchParams.get('state')}`)
    },
  })
  assert.equal(code, 1)
  assert.match(err, /The sign-in was refused: No \(access_denied\)\n$/)
  assert.throws(() => statSync(join(folder, 'profiles.json')), { code: 'ENOENT' })
})

test('Ctrl-C during a sign-in is exit code 130', async () => {
  const { ostiary } = openClient(w)
  const stop = new AbortController()
  assert.equal((await ostiary(['login'], { openBrowser: () => stop.abort(), signal: stop.signal })).code, 130)
})

test('without a sign-in and without a key a command says how to get one', async () => {
  const { ostiary } = openClient(w)
  const { code, err } = await ostiary(['projects', 'list'])
  assert.deepEqual(
    [code, err],
    [2, 'There is no profile "default". Run "ostiary login", or set OSTIARY_KEY and OSTIARY_URL for a pipeline.\n'],
  )
})

test('a sign-in is never sent to another service', async () => {
  const { folder } = await signedIn()
  const elsewhere = openClient(w, { OSTIARY_URL: 'http://localhost:1' })
  writeFileSync(join(elsewhere.folder, '..', 'unused'), '')
  const { readProfiles, writePrivate, profilesFile } = await import('../src/client/profiles.ts')
  writePrivate(profilesFile(elsewhere.folder), readProfiles(folder))
  const { code, err } = await elsewhere.ostiary(['projects', 'list'])
  assert.deepEqual([code, /^OSTIARY_URL is http:\/\/localhost:1, and the profile "default" signed in at /.test(err)], [2, true])
})

test('10 commands at once after the access token expired spend the refresh token once', async () => {
  const { ostiary, profile } = await signedIn()
  const before = profile()?.tokens
  w.advance(3_600)
  const results = await Promise.all(Array.from({ length: 10 }, () => ostiary(['projects', 'list'])))
  assert.deepEqual(
    results.map(({ code, err }) => [code, err]),
    results.map(() => [0, '']),
  )
  assert.notEqual(profile()?.tokens?.refresh_token, before?.refresh_token)
  w.advance(3_600)
  assert.equal((await ostiary(['projects', 'list'])).code, 0, 'the family was not revoked')
})

test('after a session that ended elsewhere a command says so, and login signs in again', async () => {
  const { ostiary, profile } = await signedIn()
  const tokens = profile()?.tokens
  await fetch(profile()?.revocation_endpoint ?? '', {
    method: 'POST',
    body: new URLSearchParams({ token: tokens?.refresh_token ?? '', client_id: w.admin_client_id }),
  })
  for (let count = 0; count < 2; count++) {
    const { code, err } = await ostiary(['projects', 'list'])
    assert.deepEqual([code, err], [1, 'The sign-in of the profile "default" has ended. Run "ostiary login".\n'])
  }
  assert.equal(profile()?.tokens, null)
  assert.equal((await ostiary(['login'], { openBrowser })).code, 0)
  assert.equal((await ostiary(['projects', 'list'])).code, 0)
})

test('logout revokes the tokens and forgets them', async () => {
  const { ostiary, profile } = await signedIn()
  const access_token = profile()?.tokens?.access_token ?? ''
  assert.equal((await ostiary(['logout'])).code, 0)
  assert.equal(profile()?.tokens, null)
  assert.equal((await w.call('GET', '/v1/me', { key: null, headers: { authorization: `Bearer ${access_token}` } })).status, 401)
  assert.equal((await ostiary(['whoami'])).code, 1)
  assert.deepEqual(await ostiary(['logout']), { code: 0, out: '', err: 'The profile "default" has no sign-in.\n' })
})

test('a new sign-in revokes the one that it replaces', async () => {
  const { ostiary, profile } = await signedIn()
  const access_token = profile()?.tokens?.access_token ?? ''
  assert.equal((await ostiary(['login'], { openBrowser })).code, 0)
  assert.equal((await w.call('GET', '/v1/me', { key: null, headers: { authorization: `Bearer ${access_token}` } })).status, 401)
})

const createKey = ['keys', 'create', '--type', 'auth_secret', ...inTest]

test('a call that needs a fresh sign-in asks a person, signs in again and goes on', async () => {
  const { ostiary } = await signedIn()
  w.advance(601)
  const { code, out, err } = await ostiary(createKey, { is_interactive: true, input: 'y\n', openBrowser })
  assert.equal(code, 0, err)
  assert.match(out, /^key +svc_auth_sk_test_/m)
  assert.match(err, /needs a fresh sign-in.*\n*Sign in at this address/)
})

test('a script that needs a fresh sign-in is refused and says what to do', async () => {
  const { ostiary } = await signedIn()
  w.advance(601)
  const { code, err } = await ostiary(createKey)
  assert.equal(code, 1)
  assert.match(
    err,
    /^This call needs a fresh sign-in\. Run "ostiary login --fresh".*\nRequest req_\w+\. More: ostiary requests get req_\w+ --project shop --env test\n$/,
  )
  assert.equal((await ostiary(['login', '--fresh'], { openBrowser })).code, 0)
  assert.equal((await ostiary(createKey)).code, 0)
})

test('another person at the fresh sign-in changes nothing', async () => {
  const { ostiary, profile } = await signedIn()
  const other = await w.createUser({ id: w.admin_issuer.split('/').at(-1) as typeof w.test.id }) // as: the issuer ends with it
  w.advance(601)
  const before = profile()?.tokens
  const { code, err } = await ostiary(createKey, { is_interactive: true, input: '\n', openBrowser: browserOf(w, other, createAgent()) })
  assert.equal(code, 1)
  assert.match(err, /Another person signed in\. Nothing was changed\./)
  assert.deepEqual(profile()?.tokens, before)
})

test('a profile has defaults, but no default reaches Live', async () => {
  const { ostiary } = await signedIn('--profile', 'work')
  assert.equal((await ostiary(['profiles', 'use', 'work', '--project', 'shop', '--env', 'live', '--tenant', 'acme'])).code, 0)
  assert.equal((await ostiary(['applications', 'list'])).code, 0)
  const change = ['settings', 'update', '--branding.display-name', 'Shop']
  const refused = await ostiary(change)
  assert.deepEqual([refused.code, refused.err], [1, 'This changes something in Live. Write --env live to do it.\n'])
  assert.match((await ostiary([...change, '--env', 'live'])).err, /^This changes something in Live.* Write --project shop to do it\.\n$/)
  assert.equal((await ostiary([...change, '--env', 'live', '--project', 'shop'])).code, 0)
  assert.equal((await ostiary([...change, '--env', w.live.id])).code, 0)
  assert.match((await ostiary(['profiles', 'list'])).out, /^\* +work +http\S+ +yes +acme +shop +live$/m)
  assert.equal((await ostiary(['profiles', 'use', 'none'])).code, 1)
  assert.equal((await ostiary(['profiles', 'delete', 'work'])).code, 0)
  assert.equal((await ostiary(['applications', 'list'])).code, 2)
})

test('an administrator of several tenants names one, and the message lists them', async () => {
  const { ostiary } = await signedIn('--fresh')
  assert.equal((await ostiary(['tenants', 'create', '--slug', 'second', '--name', 'Second'])).code, 0)
  const { code, err } = await ostiary(['projects', 'list'])
  assert.deepEqual(
    [code, /^--tenant is missing: the slug or the id of the tenant, one of (acme, second|second, acme)\.$/.test(err.trim())],
    [2, true],
  )
  assert.match((await ostiary(['projects', 'list', '--tenant', 'second'])).out, /^Nothing found/)

  // biome-ignore format: this table is read by column
  const calls: [words: string[], out: RegExp][] = [
    [['tenants', 'list'],                                                             /^ID +SLUG +NAME/],
    [['tenants', 'get', 'second'],                                                    /^slug +second$/m],
    [['members', 'list', '--tenant', 'acme'],                                         /owner@example\.com/],
    [['invitations', 'create', '--email', 'grace@example.com', '--role', 'viewer', '--tenant', 'second'], /^invitation_url +http/m],
    [['platform-keys', 'list', '--tenant', 'acme'],                                   /^ID +/],
    [['audit', 'list', '--tenant', 'acme', '--limit', '3'],                           /^ID +/],
    [['audit', 'verify', '--tenant', 'acme'],                                         /true/],
    [['tenant-requests', 'summary', '--tenant', 'acme'],                              /./],
    [['lookup', 'get', w.project.id],                                                 /^object +project$/m],
    [['users', 'create', '--email', 'new@example.com', '--tenant', 'acme', ...inTest], /^email +new@example\.com$/m],
    [['users', 'list', '--tenant', 'acme', ...inTest],                                /new@example\.com/],
    [['users', 'block', 'new@example.com', '--env', w.test.id, '--yes'],              /^email +new@example\.com$/m],
    [['requests', 'list', '--env', w.test.id],                                        /./],
    [['environments', 'get', w.live.id],                                              /^type +live$/m],
    [['projects', 'get', w.project.id],                                               /^slug +shop$/m],
  ]
  for (const [words, out] of calls) {
    const result = await ostiary(words)
    assert.deepEqual([words, result.code], [words, 0], result.err)
    assert.match(result.out, out)
  }
  const events = ['events', 'list', '--env', w.test.id, '--type', 'user.blocked']
  await until('the event', async () => (await ostiary(events)).out.includes('user.blocked'))
  const person = await w.createUser(w.live)
  const block = ['users', 'block', person.id]
  assert.equal((await ostiary(block)).err, 'This changes something in Live. Write --env live to do it.\n')
  const in_live = ['--env', 'live', '--project', 'shop', '--tenant', 'acme']
  assert.equal((await ostiary([...block, ...in_live, '--confirm', person.email])).code, 0)
  const twice = ['users', 'create', '--email', 'new@example.com', '--if-absent', '--env', w.test.id]
  assert.deepEqual([(await ostiary(twice)).code, (await ostiary([...twice, '--name', 'Another'])).code], [0, 3])
})

test('open prints the address of an object in the dashboard', async () => {
  const { ostiary } = await signedIn()
  const opened: string[] = []
  const { out } = await ostiary(['open', w.project.id], { openBrowser: (url) => opened.push(url) })
  assert.equal(out, `${w.base_url}/dashboard/go/${w.project.id}\n`)
  assert.deepEqual(opened, [out.trim()])
})
