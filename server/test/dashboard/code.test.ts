/** The colours of code in the dashboard. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snippetsOf } from '../../../dashboard/src/pages/application/snippets.ts'
import { verifySnippets } from '../../../dashboard/src/pages/webhook/verify-code.ts'
import { highlighted, type Kind, type Language, languageNamed } from '../../../dashboard/src/parts/highlight.ts'

// biome-ignore format: this table is read by column
const lines: [Language, string, [Kind, string][]][] = [
  ['js',     "const a = 'b // c' // d",        [['keyword', 'const'], [null, ' a = '], ['text', "'b // c'"], [null, ' '], ['comment', '// d']]],
  ['js',     'open(`http://a:80`)',            [[null, 'open('], ['text', '`http://a:80`'], [null, ')']]],
  ['python', "return f'{x}'  # why",           [['keyword', 'return'], [null, ' '], ['text', "f'{x}'"], [null, '  '], ['comment', '# why']]],
  ['go',     'a := 600 // "b"',                [[null, 'a := '], ['number', '600'], [null, ' '], ['comment', '// "b"']]],
  ['sh',     'curl "$URL#x" # y',              [[null, 'curl '], ['text', '"$URL#x"'], [null, ' '], ['comment', '# y']]],
  ['env',    'A_SECRET=in 1 text',             [[null, 'A_SECRET='], ['text', 'in 1 text']]],
  ['json',   '{"a": true, "b": 1}',            [[null, '{'], ['text', '"a"'], [null, ': '], ['keyword', 'true'], [null, ', '], ['text', '"b"'], [null, ': '], ['number', '1'], [null, '}']]],
]
for (const [language, code, parts] of lines)
  test(`the colours of ${language}: ${code}`, () => assert.deepEqual(highlighted(code, language), parts))

test('the coloured code is the code, and every snippet has colours', () => {
  const web = {
    application_type: 'web' as const,
    client_id: 'app_1',
    redirect_uris: ['http://localhost:8080/callback'],
    allow_loopback_port: false,
  }
  const snippets = [
    ...(['none', 'optional'] as const).flatMap((organizations) =>
      snippetsOf(
        { ...web, token_endpoint_auth_method: 'client_secret' as const, organizations },
        { issuer: 'http://localhost:4000/e/env_1', base_url: 'http://localhost:4000' },
      ),
    ),
    ...verifySnippets,
  ]
  for (const { name, code } of snippets) {
    const parts = highlighted(code, languageNamed(name))
    assert.equal(parts.map(([, text]) => text).join(''), code)
    assert.deepEqual([...new Set(parts.map(([kind]) => kind))].filter((kind) => kind === 'keyword' || kind === 'text').length, 2, name)
  }
})
