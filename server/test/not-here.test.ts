/** The page *Not here, and what to do instead* stays true: a thing that was built leaves it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openApi } from '@ostiary/contract/openapi.ts'
import { settings_words } from '@ostiary/contract/settings-words.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/not-here.md'), 'utf8')
const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading)
const described = JSON.stringify(openApi()) + JSON.stringify(settings_words)

/** The names that the contract would have if the thing was here; `null` for a thing that has none. */
// biome-ignore format: this table is read by column
const names: Readonly<Record<string, RegExp | null>> = {
  'SAML':                                                              /saml/i,
  'LDAP and Active Directory':                                         /ldap/i,
  'Username or phone number instead of an email address':              /sign_in\.(phone|username)/,
  'Codes by SMS, WhatsApp or voice call':                              /\bsms\b/i,
  'Magic links':                                                       /magic.?link/i,
  'Captcha and bot protection':                                        /captcha|turnstile/i,
  'Sign-in forms of your own, embedded login and a login API':         null,
  'Guest and anonymous users':                                         /anonymous|guest/i,
  'Security questions, risk scores and sign-in by location':           /risk_|geo_/,
  'Passwords that leaked elsewhere':                                   /pwned|reject_breached/i,
  'Log in as a user: impersonation':                                   /delegation|impersonat/i,
  'Fields of your own on the sign-up form':                            /sign_up\.fields/,
  'Merge two accounts':                                                /merge-users|mergeUsers/,
  'Machine to machine: client credentials':                            /client_credentials/,
  'Device code and sign-in on a television':                           /device_code|device_authorization/,
  'Token exchange, DPoP, CIBA, PAR, the implicit flow':                /dpop|ciba|pushed_authorization|token-exchange/i,
  'Dynamic client registration':                                       /registration_endpoint/,
  'Wildcards in redirect URIs':                                        null,
  'Silent renewal in a hidden frame':                                  /check_session_iframe/,
  'Permissions on single objects':                                     null,
  'Groups, teams, roles inside roles':                                 /listGroups|listTeams/,
  'A provider or a domain of one organization':                        /verified_domain/,
  'API keys for your users':                                           /user_api_key/,
  'Your code during a sign-in: hooks, actions, rules':                 /"hooks?"/,
  'SCIM and directory provisioning':                                   /scim/i,
  'Terraform, Pulumi and other providers for infrastructure':          null,
  'A cloud service that others run':                                   null,
  'TLS and certificates in the process':                               null,
  'MySQL, MariaDB, SQL Server, MongoDB':                               null,
  'Texts of mails and pages of your own':                              /\/texts"/,
  'More languages':                                                    /"languages"/,
  'Deletion of environments and projects':                             /deleteEnvironment|deleteProject/,
}

test('each thing of the page has an entry here, and the reverse', () => {
  assert.deepEqual(headings.toSorted(), Object.keys(names).toSorted())
})

for (const [heading, name] of Object.entries(names))
  if (name !== null)
    test(`${heading}: nothing in the contract has its name; if it was built, take the section out of docs/not-here.md`, () => {
      assert.deepEqual(described.match(name)?.[0] ?? null, null)
    })

test('more than half of the sections lead somewhere', () => {
  const sections = page.split(/^### /m).slice(1)
  assert.ok(sections.filter((section) => section.includes('](')).length > sections.length / 2)
})
