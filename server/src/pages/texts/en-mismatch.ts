// pure
/** The texts of the page that explains an unregistered redirect URI to a developer. Part of `en.ts`. */
import type { Change } from '../../base/address-difference.ts'
import { codePoint, isAscii, stretchesOf } from '../../base/characters.ts'

export const mismatch = {
  title: 'This redirect URI is not registered',
  text: (application: string) => `${application} asked to return to an address that is not registered for it. Nothing was sent there.`,
  received: 'Received',
  nearest: (count: number) => (count === 1 ? 'Registered' : `Registered, the nearest of ${count}`),
  registered: 'Registered',
  more: (count: number) => `Show ${count} more`,
  end: 'end',
  missing: (text: string) => `${shortOf(text)} is missing`,
  more_changes: (count: number) => `${count} more differences follow.`,
  unseen: (character: string) => unseenNames[character] ?? codePoint(character),
  what_differs: 'What is different',
  change: sentence,
  none_registered: 'No address is registered for this app.',
  rule: 'Addresses are compared character by character.',
  register: 'Register this address',
  open: (application: string) => `Open ${application}`,
  needs_developer: (links: number) =>
    `${links === 2 ? 'Both need' : 'This needs'} a developer's sign-in to the dashboard. Or send the registered address from your code.`,
  error: 'Error',
  what_it_means: 'what it means',
  client_id: 'Client id',
  request: 'Request',
  in_live: 'In Live',
  in_live_detail: 'People see one sentence and the request id. These addresses are shown in Test only.',
}

const unseenNames: Readonly<Record<string, string>> = {
  ' ': 'space',
  '\t': 'tab',
  '\n': 'line feed',
  '\r': 'carriage return',
  '\0': 'null character',
  '\u00A0': 'no-break space',
  '\u00AD': 'soft hyphen',
  '\u200B': 'zero-width space',
  '\u200C': 'zero-width non-joiner',
  '\u200D': 'zero-width joiner',
  '\u200E': 'left-to-right mark',
  '\u200F': 'right-to-left mark',
  '\u202E': 'right-to-left override',
  '\u2060': 'word joiner',
  '\uFEFF': 'byte order mark',
}

const partNames: Readonly<Record<Change['part'], string>> = {
  scheme: 'scheme',
  separator: 'part after the scheme',
  host: 'host',
  port: 'port',
  path: 'path',
  query: 'query',
  fragment: 'fragment',
}

function sentence({ part, received, registered, position, at_end, only_case }: Change): string {
  const name = partNames[part]
  const where = `${at_end ? 'at the end' : `in the ${name}`}, position ${position}`
  if (part === 'scheme' || part === 'port') {
    const [sent, known] = [quoted(received.replace(/^:/, '')), quoted(registered.replace(/^:/, ''))]
    if (received === '') return `The received address has no ${name}, but ${known} is registered.`
    if (registered === '') return `The received address has the ${name} ${sent}, but the registered one has none.`
    return `The ${name} is ${sent}, but ${known} is registered.`
  }
  if (only_case)
    return `Upper and lower case differ in the ${name}: ${quoted(received)} was sent, ${quoted(registered)} is registered, position ${position}.`
  if (registered === '') return `The received address has ${counted(received, 'more')}: ${quoted(received)} ${where}.`
  if (received === '') return `The received address has ${counted(registered, 'fewer')}: ${quoted(registered)} is missing ${where}.`
  const from = [...received].length === 1 && [...registered].length === 1 ? `at position ${position}` : `from position ${position} on`
  return `The ${name} differs ${from}: ${quoted(received)} was sent, ${quoted(registered)} is registered.`
}

function counted(text: string, than: string): string {
  const count = [...text].length
  return count === 1 ? `one character ${than}` : `${count} characters ${than}`
}

/** Quotes text. A single invisible character is shown by its name, a single non-ASCII one with its code point. */
function quoted(text: string): string {
  if (text === '/') return 'a slash'
  const all = stretchesOf(text)
  const [first] = all
  if (all.length === 1 && first?.unseen) return `${unseenNames[text] ? `a ${unseenNames[text]}` : 'the character'} (${codePoint(text)})`
  const short = shortOf(text)
  return [...text].length === 1 && !isAscii(text) ? `“${short}” (${codePoint(text)})` : `“${short}”`
}

/** Text with invisible characters by their names, cut. */
function shortOf(text: string): string {
  const readable = stretchesOf(text)
    .map((stretch) => (stretch.unseen ? `[${mismatch.unseen(stretch.text)}]` : stretch.text))
    .join('')
  const characters = [...readable]
  return characters.length > max_quoted ? `${characters.slice(0, max_quoted).join('')}…` : readable
}

/** The most characters quoted in a sentence. The page shows the whole address above it. */
const max_quoted = 60
