// pure
/**
 * Text that a person typed or pasted into an address, a name or a code of a page. Keyboards and pages add blanks and invisible format characters
 * around it, which are taken off: nobody can see why it is refused otherwise. Values of backends and providers are refused and never
 * cleaned.
 */

/** Tags are format characters too, but they end the flags of some emoji. */
const around = /^[\s\p{Z}[[\p{Cf}&&\p{Default_Ignorable_Code_Point}]--[\u{E0020}-\u{E007F}]]]$/v

/** Takes linear time, unlike an expression for the end of a text. */
export function withoutEnds(text: string): string {
  const characters = [...text]
  let [from, to] = [0, characters.length]
  while (from < to && around.test(characters[from] ?? '')) from++
  while (to > from && around.test(characters[to - 1] ?? '')) to--
  return characters.slice(from, to).join('')
}
