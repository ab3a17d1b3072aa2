// pure
/** The texts of the page that explains an unregistered redirect URI to a developer, in German. Part of `de.ts`. */
import type { Change } from '../../base/address-difference.ts'
import { codePoint, isAscii, stretchesOf } from '../../base/characters.ts'

export const mismatch = {
  title: 'Diese Redirect-URI ist nicht registriert',
  text: (application: string) =>
    `${application} wollte zu einer Adresse zurückkehren, die dort nicht registriert ist. Dorthin wurde nichts gesendet.`,
  received: 'Erhalten',
  nearest: (count: number) => (count === 1 ? 'Registriert' : `Registriert, die nächste von ${count}`),
  registered: 'Registriert',
  more: (count: number) => `${count} weitere zeigen`,
  end: 'Ende',
  missing: (text: string) => `${shortOf(text)} fehlt`,
  more_changes: (count: number) => `Es folgen ${count} weitere Unterschiede.`,
  unseen: (character: string) => unseenNames[character] ?? codePoint(character),
  what_differs: 'Was sich unterscheidet',
  change: sentence,
  none_registered: 'Für diese App ist keine Adresse registriert.',
  rule: 'Adressen werden Zeichen für Zeichen verglichen.',
  register: 'Diese Adresse registrieren',
  open: (application: string) => `${application} öffnen`,
  needs_developer: (links: number) =>
    `${links === 2 ? 'Beides braucht' : 'Das braucht'} die Anmeldung eines Entwicklers am Dashboard. Oder senden Sie die registrierte Adresse aus Ihrem Code.`,
  error: 'Fehler',
  what_it_means: 'was er bedeutet',
  client_id: 'Client-ID',
  request: 'Anfrage',
  in_live: 'In Live',
  in_live_detail: 'Dort sehen Menschen einen Satz und die Kennung der Anfrage. Diese Adressen zeigt nur Test.',
}

const unseenNames: Readonly<Record<string, string>> = {
  ' ': 'Leerzeichen',
  '\t': 'Tabulator',
  '\n': 'Zeilenvorschub',
  '\r': 'Wagenrücklauf',
  '\0': 'Nullzeichen',
  '\u00A0': 'geschütztes Leerzeichen',
  '\u00AD': 'weiches Trennzeichen',
  '\u200B': 'Leerzeichen ohne Breite',
  '\u200C': 'Bindehemmer ohne Breite',
  '\u200D': 'Verbinder ohne Breite',
  '\u200E': 'Zeichen für links nach rechts',
  '\u200F': 'Zeichen für rechts nach links',
  '\u202E': 'Umkehrung nach rechts nach links',
  '\u2060': 'Wortverbinder',
  '\uFEFF': 'Markierung der Bytereihenfolge',
}

/** Each part with its name in the nominative, and as a place. */
const partNames: Readonly<Record<Change['part'], readonly [name: string, where: string]>> = {
  scheme: ['Das Schema', 'im Schema'],
  separator: ['Der Teil nach dem Schema', 'im Teil nach dem Schema'],
  host: ['Der Host', 'im Host'],
  port: ['Der Port', 'im Port'],
  path: ['Der Pfad', 'im Pfad'],
  query: ['Die Query', 'in der Query'],
  fragment: ['Das Fragment', 'im Fragment'],
}

function sentence({ part, received, registered, position, at_end, only_case }: Change): string {
  const [name, in_part] = partNames[part]
  const where = `${at_end ? 'am Ende' : in_part}, Stelle ${position}`
  if (part === 'scheme' || part === 'port') {
    const [sent, known] = [quoted(received.replace(/^:/, '')), quoted(registered.replace(/^:/, ''))]
    if (received === '') return `${name} fehlt in der erhaltenen Adresse; registriert ist ${known}.`
    if (registered === '') return `${name} der erhaltenen Adresse ist ${sent}; die registrierte hat keinen.`
    return `${name} ist ${sent}; registriert ist ${known}.`
  }
  if (only_case)
    return `Groß- und Kleinschreibung unterscheiden sich ${in_part}: Gesendet wurde ${quoted(received)}, registriert ist ${quoted(registered)}, Stelle ${position}.`
  if (registered === '') return `Die erhaltene Adresse hat ${counted(received, 'mehr')}: ${quoted(received)} ${where}.`
  if (received === '') return `Die erhaltene Adresse hat ${counted(registered, 'weniger')}: ${quoted(registered)} fehlt ${where}.`
  const from = [...received].length === 1 && [...registered].length === 1 ? `an Stelle ${position}` : `ab Stelle ${position}`
  return `${name} unterscheidet sich ${from}: Gesendet wurde ${quoted(received)}, registriert ist ${quoted(registered)}.`
}

function counted(text: string, than: string): string {
  const count = [...text].length
  return `${count === 1 ? 'ein' : count} Zeichen ${than}`
}

/** Quotes text. A single invisible character is shown by its name, a single non-ASCII one with its code point. */
function quoted(text: string): string {
  if (text === '/') return 'ein Schrägstrich'
  const all = stretchesOf(text)
  const [first] = all
  if (all.length === 1 && first?.unseen) return `${unseenNames[text] ?? 'das Zeichen'} (${codePoint(text)})`
  return [...text].length === 1 && !isAscii(text) ? `„${shortOf(text)}“ (${codePoint(text)})` : `„${shortOf(text)}“`
}

/** Text with invisible characters by their names, cut. */
function shortOf(text: string): string {
  const named = (character: string) => unseenNames[character] ?? codePoint(character)
  const readable = stretchesOf(text).map((stretch) => (stretch.unseen ? `[${named(stretch.text)}]` : stretch.text))
  const characters = [...readable.join('')]
  return characters.length > max_quoted ? `${characters.slice(0, max_quoted).join('')}…` : characters.join('')
}

/** The most characters quoted in a sentence. */
const max_quoted = 60
