/** Code in colours: the pieces joined are the text, whatever it is, and the kinds of pieces are found in each language. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { html, markupOf } from '../../base/html.ts'
import { colored } from './colored.ts'

/** Pieces in colours, each as its class and its text. */
const piecesOf = (text: string, language: string) =>
  [...markupOf(colored(text, language)).matchAll(/<span class="c(\w)">([^<]*)<\/span>/g)].map(([, kind, piece]) => `${kind} ${piece}`)
const withoutColours = (text: string, language: string) => markupOf(colored(text, language)).replaceAll(/<span class="c\w">|<\/span>/g, '')

// biome-ignore format: this table is read by column
const cases: [language: string, text: string, pieces: string[]][] = [
  ['sh',     'call GET "$E/users" --limit 5 # all',          ['s &quot;$E/users&quot;', 'p --limit', 'c # all']],
  ['bash',   "if [ -f x ]; then echo '# no'; fi",             ['k if', 'p -f', 'k then', 's &#39;# no&#39;', 'k fi']],
  ['js',     'const a = `x 1` // two\nreturn 0x',             ['k const', 's `x 1`', 'c // two', 'k return']],
  ['ts',     'text.replace(/["]/g, 1)',                       ['s /[&quot;]/g', 'n 1']],
  ['json',   '{"a": "b", "c": [1.5, true]}',                  ['p &quot;a&quot;', 's &quot;b&quot;', 'p &quot;c&quot;', 'n 1.5', 'k true']],
  ['yaml',   'on: push\n# x\n- name: "a" # b',                ['p on', 'c # x', 'p name', 's &quot;a&quot;', 'c # b']],
  ['python', 'def f(x): # y\n  return None',                  ['k def', 'c # y', 'k return', 'k None']],
  ['ruby',   "get '/' do @a = :b end",                        ['s &#39;/&#39;', 'k do', 'p @a', 'p :b', 'k end']],
  ['php',    '<?php $a = new B; # c',                         ['k &lt;?php', 'p $a', 'k new', 'c # c']],
  ['java',   '@Bean public void a() { /* b */ }',             ['p @Bean', 'k public', 'k void', 'c /* b */']],
  ['csharp', 'var a = "b"; // c',                             ['k var', 's &quot;b&quot;', 'c // c']],
  ['go',     'func main() { x := `a` }',                      ['k func', 's `a`']],
  ['sql',    "SELECT 1 -- a\nfrom t where b = 'it''s'",       ['k SELECT', 'n 1', 'c -- a', 'k from', 'k where', 's &#39;it&#39;&#39;s&#39;']],
  ['html',   '<!-- a --><p id="b">c</p>',                     ['c &lt;!-- a --&gt;', 'k &lt;p', 'p id', 's &quot;b&quot;', 'k &gt;', 'k &lt;/p', 'k &gt;']],
  ['toml',   '[a]\nb = "c" # d',                              ['k [a]', 'p b', 's &quot;c&quot;', 'c # d']],
  ['nginx',  'listen 443 ssl; # a',                           ['k listen', 'n 443', 'c # a']],
  ['text',   'const a = "b"',                                 []],
  ['',       'const a = "b"',                                 []],
]
for (const [language, text, pieces] of cases)
  test(`${language || 'no language'}: ${text.replaceAll('\n', ' ')}`, () => assert.deepEqual(piecesOf(text, language), pieces))

test('a file that a shell writes is coloured in its own language, and so is the script of a page', () => {
  const text = "cat > a.mjs <<'EOF'\nimport a from 'b' // it's\nEOF\nnode a.mjs --x"
  assert.deepEqual(piecesOf(text, 'sh'), ['s &#39;EOF&#39;', 'k import', 'k from', 's &#39;b&#39;', 'c // it&#39;s', 'p --x'])
  assert.deepEqual(piecesOf('<script>\nlet a\n</script>', 'html'), ['k &lt;script', 'k &gt;', 'k let', 'k &lt;/script', 'k &gt;'])
})

test('a text keeps every character in every language, and each is escaped', () => {
  const languages = fc.constantFrom(...new Set(cases.map(([language]) => language)))
  const signs = fc.constantFrom(...'"\'`/*#<>&$\\-=:{}[]()\n \t;@.,_', 'a', '1', '<script>', '</script>', "cat > a.js <<'EOF'\n", '\nEOF')
  fc.assert(
    fc.property(languages, fc.array(signs, { maxLength: 60 }), (language, parts) => {
      const text = parts.join('')
      assert.equal(withoutColours(text, language), markupOf(html`${text}`))
    }),
    { numRuns: 2_000 },
  )
})
