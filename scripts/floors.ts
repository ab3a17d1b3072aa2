/**
 * The floors of the code, from the ground up. A file imports only its own folder and folders on lower floors; types count. Folders that
 * share a floor do not know each other. `docs/architecture.md` shows this table, and `import-law.test.ts` checks both.
 */
export interface Floor {
  readonly folders: readonly string[]
  readonly owns: string
}

/** The floors of `server/src/`. The roof, `app.ts` and `main.ts`, may import everything. */
// biome-ignore format: this table is read by column
export const floors: readonly Floor[] = [
  { folders: ['base'],                                        owns: 'plain helpers: ids, digests, text, reasons of refusals, traces, HTML templates' },
  { folders: ['config'],                                      owns: 'variables, limits, hosts of issuers, the master key' },
  { folders: ['db'],                                          owns: 'engines, statements, guards, row memory, migrations, slices; the only importer of database drivers' },
  { folders: ['secrets'],                                     owns: 'sealed text, MAC keys, the registry of sealed columns' },
  { folders: ['outbound'],                                    owns: 'SSRF-safe fetch, SMTP, addresses that may be called' },
  { folders: ['refused-calls'],                               owns: 'the record of refused calls: gathering, owners, limits, queries' },
  { folders: ['deployment'],                                  owns: 'the value that every part gets: configuration, database, clock, randomness, log, counters' },
  { folders: ['http'],                                        owns: 'transport: listener, body, problems, rate limits, writing, access log, client address' },
  { folders: ['oidc/protocol'],                               owns: 'the rules of OAuth and OpenID Connect, pure functions of values' },
  { folders: ['pages/texts'],                                 owns: 'the words of the hosted pages, English and German' },
  { folders: ['pages'],                                       owns: 'hosted pages as pure HTML functions' },
  { folders: ['lists'],                                       owns: 'cursors, pages of lists, search, time ranges, versions' },
  { folders: ['events'],                                      owns: 'the outbox of events, their numbering, the lease of the sequencer' },
  { folders: ['audit'],                                       owns: 'audit entries and the chain of their hashes' },
  { folders: ['queue'],                                       owns: 'the durable queue of outgoing messages: jobs, attempts, shares, the runner' },
  { folders: ['tenancy'],                                     owns: 'tenants, projects, environments and their settings' },
  { folders: ['slugs'],                                       owns: 'slugs of objects: chosen, made from names, set once' },
  { folders: ['mail/texts'],                                  owns: 'the words of mails, and the kinds of notices' },
  { folders: ['mail'],                                        owns: 'mails: composed, queued, delivered, captured, limited' },
  { folders: ['sessions'],                                    owns: 'sessions, half sign-ins, grants, consents, messages of back-channel logout' },
  { folders: ['applications', 'resource-servers', 'providers', 'keys', 'webhooks', 'members', 'readiness'], owns: 'one subject each: its queries (store.ts) and pure rules' },
  { folders: ['configuration'],                               owns: 'the configuration of an environment as one document: shown, read, compared' },
  { folders: ['promotions'],                                  owns: 'promotions: plans, what became of them, and the people whom a plan concerns' },
  { folders: ['users'],                                       owns: 'users, passwords, emailed codes, second factors, attempts' },
  { folders: ['passkeys'],                                    owns: 'passkeys: challenges, verification, queries' },
  { folders: ['accounts'],                                    owns: 'what concerns all methods of an account: the list, removal, reset, proof of the address' },
  { folders: ['oidc'],                                        owns: 'what endpoints share: issuers, signing keys, calls, browsers, access tokens' },
  { folders: ['oidc/grants'],                                 owns: 'one file for each grant type, and the issuing of tokens' },
  { folders: ['oidc/flow/shared'],                            owns: 'what the steps of a sign-in share: the request, its continuation, sessions, half sign-ins' },
  { folders: ['oidc/flow/passkey'],                           owns: 'the step of passkeys' },
  { folders: ['oidc/flow/email-code'],                        owns: 'the step of emailed codes' },
  { folders: ['oidc/flow/reset', 'oidc/flow/sign-out'],       owns: 'password reset; sign-out' },
  { folders: ['oidc/flow/account'],                           owns: 'the account page of a person' },
  { folders: ['oidc/flow/authorize', 'oidc/flow/consent', 'oidc/flow/invitation', 'oidc/flow/link', 'oidc/flow/profile', 'oidc/flow/provider', 'oidc/flow/second-factor', 'oidc/flow/sign-in'], owns: 'one step each: its endpoint, checks and screens' },
  { folders: ['oidc/endpoints'],                              owns: 'the endpoints without pages: token, UserInfo, revocation, metadata' },
  { folders: ['setup'],                                       owns: 'root tenant, bootstrap, first start, demo data, recovery, resealing' },
  { folders: ['api'],                                         owns: 'the management pipeline: authentication, input, idempotency, commit, answer' },
  { folders: ['api/handlers'],                                owns: 'the management routes, one file for each subject' },
  { folders: ['reference'],                                   owns: 'the API reference and the pages of errors' },
  { folders: ['dashboard', 'documents', 'demo'],              owns: 'the server side of the dashboard; the served documents; the demo page' },
  { folders: ['workers'],                                     owns: 'background work: sequencer, periodic jobs, expiring rows, metrics' },
]
