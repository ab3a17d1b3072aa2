/** `verifyWebhook` without a service: messages of another library verify, and changed or old ones do not. */
import { Webhook } from 'standardwebhooks'
import { verifyWebhook } from '../../src/webhooks.ts'
import { type Case, outcomeOf, same } from './case.ts'

const secret = `whsec_${btoa('\x01'.repeat(32))}`
const other = `whsec_${btoa('\x02'.repeat(32))}`
const now = new Date('2026-11-20T16:31:00.000Z')
const body = '{"type":"user.created","data":{"name":"Zoë"}}'

function signed(change: { body?: string; at?: Date; secret?: string } = {}) {
  const at = change.at ?? now
  const signature = new Webhook(change.secret ?? secret).sign('msg_1', at, change.body ?? body)
  return {
    headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': String(at.getTime() / 1000), 'webhook-signature': signature } as Record<
      string,
      string
    >,
    body: change.body ?? body,
  }
}
const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const with_headers = (headers: Record<string, string | undefined>) => ({ ...signed(), headers: { ...signed().headers, ...headers } })
const good = signed().headers['webhook-signature'] ?? ''

// biome-ignore format: this table is read by column
const cases: [string, Parameters<typeof verifyWebhook>[0], string][] = [
  ['a webhook of another library',              signed(),                                                                         'accepted'],
  ['a body of bytes',                           { ...signed(), body: new TextEncoder().encode(body) },                            'accepted'],
  ['the headers of a Request',                  { body, headers: new Headers(signed().headers) },                                 'accepted'],
  ['one good signature among others',           with_headers({ 'webhook-signature': `v1,AAAA v2,zzz nonsense ${good}` }),         'accepted'],
  ['a webhook of five minutes ago',             signed({ at: after(-300) }),                                                      'accepted'],
  ['a webhook of more than five minutes ago',   signed({ at: after(-301) }),                                                      'too_old'],
  ['a webhook of the future',                   signed({ at: after(301) }),                                                       'too_new'],
  ['another secret',                            signed({ secret: other }),                                                        'bad_signature'],
  ['a changed body',                            { ...signed(), body: `${body} ` },                                                'bad_signature'],
  ['a changed id',                              with_headers({ 'webhook-id': 'msg_2' }),                                          'bad_signature'],
  ['a changed timestamp',                       with_headers({ 'webhook-timestamp': String(now.getTime() / 1000 - 1) }),          'bad_signature'],
  ['a signature of another version',            with_headers({ 'webhook-signature': good.replace('v1,', 'v1a,') }),               'bad_signature'],
  ['a shorter signature',                       with_headers({ 'webhook-signature': good.slice(0, -4) }),                         'bad_signature'],
  ['a signature of nothing',                    with_headers({ 'webhook-signature': 'v1,' }),                                     'bad_signature'],
  ['a good signature behind ten others',        with_headers({ 'webhook-signature': `${'v1,AAAA '.repeat(10)}${good}` }),         'bad_signature'],
  ['no signature',                              with_headers({ 'webhook-signature': undefined }),                                 'missing_header'],
  ['no id',                                     with_headers({ 'webhook-id': undefined }),                                        'missing_header'],
  ['no timestamp',                              with_headers({ 'webhook-timestamp': undefined }),                                 'missing_header'],
  ['a timestamp that is not a number',          with_headers({ 'webhook-timestamp': '1e9' }),                                     'missing_header'],
  ['a signature of a megabyte',                 with_headers({ 'webhook-signature': 'a'.repeat(1_000_000) }),                     'missing_header'],
  ['a signed body that is not JSON',            signed({ body: 'hello' }),                                                        'malformed'],
]
export const webhookCases = (): Case[] => [
  ...cases.map(([what, request, code]) => ({
    title: `${what} is ${code}`,
    run: async () => same(await outcomeOf(verifyWebhook(request, { secret, now: () => now })), code),
  })),
  {
    title: 'each of several secrets verifies, and a text that is not a secret is refused',
    async run() {
      await verifyWebhook(signed(), { secret: [other, secret], now: () => now })
      for (const wrong of ['', 'whsec_', 'secret', secret.slice(6), 'whsec_c2hvcnQ='])
        same(await verifyWebhook(signed(), { secret: wrong, now: () => now }).catch((error) => error instanceof TypeError), true, wrong)
    },
  },
]
