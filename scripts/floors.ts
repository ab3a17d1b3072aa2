/**
 * The wings of the server, from the ground up. A file imports its own wing and wings on lower floors; types count. Wings that share a floor
 * do not know each other. `docs/architecture.md` shows this table, and `import-law.test.ts` checks both.
 */
export interface Wing {
  readonly floor: number
  readonly wing: string
  readonly owns: string
}

/** The folders of `server/src/`. The roof, `app.ts` and `main.ts`, may import everything. */
// biome-ignore format: this table is read by column
export const wings: readonly Wing[] = [
  { floor: 0, wing: 'base',         owns: 'plain helpers: ids, digests, text, addresses, reasons of refusals, traces, HTML templates; `config/` reads the variables' },
  { floor: 1, wing: 'db',           owns: 'the engines `sqlite/`, `postgres/` and `citus/`, statements, guards, batches, row memory, migrations, slices' },
  { floor: 1, wing: 'protocol',     owns: 'the rules of OAuth and OpenID Connect, pure functions of values' },
  { floor: 2, wing: 'deployment',   owns: 'the value that every part gets: configuration, database, clock, randomness, log, counters; `secrets/`, `outbound/` calls, `refused-calls/`' },
  { floor: 2, wing: 'pages',        owns: 'hosted pages as pure HTML functions; `texts/` has their words, English and German' },
  { floor: 3, wing: 'http',         owns: 'transport: listener, bodies, problems, rate limits, writing, access log, client address' },
  { floor: 4, wing: 'domain',       owns: 'what is stored, one folder a subject: its queries (`store.ts`), its changes as values (`changes.ts`), its pure rules' },
  { floor: 5, wing: 'oidc',         owns: '`endpoints/`, `flow/` (one folder a step of the browser), `grants/` (one file a grant type), and what they share' },
  { floor: 6, wing: 'setup',        owns: 'root tenant, bootstrap, first start, demo data, recovery, resealing' },
  { floor: 6, wing: 'workers',      owns: 'background work: sequencer, periodic jobs, expiring rows, metrics' },
  { floor: 7, wing: 'api',          owns: 'the management pipeline: authentication, input, idempotency, commit, answer; `promotions/`; `handlers/`, one file a subject' },
  { floor: 8, wing: 'site',         owns: 'what the service shows of itself: the server side of the `dashboard/`, the `documents/`, the `reference/` and the API of the demo' },
]
