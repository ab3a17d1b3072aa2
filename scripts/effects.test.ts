import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effectsWithoutBlock } from './effects.ts'

// biome-ignore format: this table is read by column
const sources: [string, string[]][] = [
  ['useEffect(() => a.scrollIntoView(), [a])',                    ['1: useEffect']],
  ['useEffect(() => void a.scrollIntoView(), [a])',               ['1: useEffect']],
  ['useLayoutEffect(() => a.focus())',                            ['1: useLayoutEffect']],
  ['\nuseInsertionEffect(() => (a()))',                           ['2: useInsertionEffect']],
  ['React.useEffect(() => a(), [])',                              ['1: useEffect']],
  ['useEffect(report, [])',                                       ['1: useEffect']],
  ['const b = <p ref={(p) => p?.scrollIntoView()} />',            ['1: ref']],
  ['const b = <p ref={c ? (p) => d(p) : undefined} />',           ['1: ref']],
  ['const b = <p ref={useCallback((p) => d(p), [])} />',          ['1: ref']],
  ['const d = (p) => p?.focus()\nconst b = <p ref={c ? d : e} />', ['2: ref']],
  ['const b = { ref: (p) => p?.focus() }',                        ['1: ref']],
  ['useEffect(() => { a.scrollIntoView() }, [a])',                []],
  ['useEffect(() => { return stop }, [])',                        []],
  ['useEffect(function () { a() })',                              []],
  ['const a = useEffectEvent(() => b())',                         []],
  ['const b = <p ref={(p) => { p?.focus() }} onClick={() => c()} />', []],
  ['const a = useRef(null)\nconst b = <p ref={a} />',             []],
]
for (const [source, expected] of sources) {
  test(`${JSON.stringify(source)}: ${expected[0] ?? 'nothing found'}`, () => {
    assert.deepEqual(
      effectsWithoutBlock('a.tsx', source).map(({ line, what }) => `${line}: ${what}`),
      expected,
    )
  })
}
