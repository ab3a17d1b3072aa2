/**
 * Fills the setup text of a template of an application with values. The dashboard has a generated copy. Each value is within the quotes
 * of its language, which a test checks for every template, and is written as that language escapes it.
 */

export interface SetupValues {
  readonly issuer: string
  readonly client_id: string
  /** `null` for an application without a secret, and where the secret is not known any more. */
  readonly client_secret: string | null
  /** The address of the product. */
  readonly url: string
}

type Language = 'apache' | 'form' | 'ini' | 'javascript' | 'json' | 'php' | 'python' | 'ruby' | 'sh' | 'toml' | 'yaml'

const place = /\{(issuer|client_id|client_secret|url)\}/g

/** Shown where the secret is not known any more. */
export const forgotten_secret = 'the-client-secret'

/** @throws TypeError if the language cannot write a value */
export function fillSetup({ language, text }: { language: Language; text: string }, values: SetupValues): string {
  return text.replaceAll(place, (_, name: keyof SetupValues) => written[language](values[name] ?? forgotten_secret))
}

/** JSON (RFC 8259 §7), TOML 1.0 and YAML 1.2 in double quotes, JavaScript and Python have these escapes in common. */
const inDoubleQuotes = (value: string): string => JSON.stringify(value).slice(1, -1).replaceAll(unprintable, escaped)

const unprintable = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g
const escaped = (character: string) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`

/** A value of one line, without characters that this language cannot write. */
const oneLine =
  (refused: RegExp | null, write: (value: string) => string) =>
  (value: string): string => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
    if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(value))
      throw new TypeError('The value has more than one line, or a control character.')
    if (refused?.test(value)) throw new TypeError('This language cannot write the value.')
    return write(value)
  }

/** How a value is written within its quotes: single ones in shell, Ruby and PHP, backquotes in INI, else double ones. */
const written: Readonly<Record<Language, (value: string) => string>> = {
  javascript: inDoubleQuotes,
  json: inDoubleQuotes,
  toml: inDoubleQuotes,
  yaml: inDoubleQuotes,
  python: inDoubleQuotes,
  // POSIX.1-2024, XCU §2.2.2: nothing is special between single quotes, so a single quote is outside of them.
  sh: oneLine(null, (value) => value.replaceAll("'", "'\\''")),
  ruby: oneLine(null, (value) => value.replaceAll(/[\\']/g, '\\$&')),
  php: oneLine(null, (value) => value.replaceAll(/[\\']/g, '\\$&')),
  // A reference such as ${NAME} is replaced even between quotes.
  apache: oneLine(/[$%]\{/, (value) => value.replaceAll(/[\\"]/g, '\\$&')),
  // Between backquotes nothing is special, not even # and ; which begin a comment elsewhere, and nothing can be escaped.
  ini: oneLine(/`/, (value) => value),
  form: oneLine(null, (value) => value),
}

/** The settings that decide what the claims of people have. */
export interface ClaimSettings {
  readonly claims: { readonly preferred_username: 'none' | 'email'; readonly name: 'none' | 'email' }
  readonly sign_up: { readonly name: string }
}

/** A claim that a product needs and the environment does not give to a person who has only an address. */
export interface UnmetNeed {
  readonly sentence: string
  /** The setting of `claims` that puts the verified address in its place; `null` where none does. */
  readonly claim: 'preferred_username' | 'name' | null
}

export function unmetNeeds(needs: readonly string[], { claims, sign_up }: ClaimSettings): UnmetNeed[] {
  const unmet: Readonly<Record<string, UnmetNeed | null>> = {
    preferred_username:
      claims.preferred_username === 'none'
        ? {
            sentence:
              'The product needs a user name, which a person with an address and nothing else lacks. The verified address can take its place, or your backend gives people user names.',
            claim: 'preferred_username',
          }
        : null,
    name:
      claims.name === 'none' && sign_up.name !== 'required'
        ? {
            sentence:
              'The product needs a name, which a person with an address and nothing else lacks. The verified address can take its place, or the sign-up requires a name.',
            claim: 'name',
          }
        : null,
    email_verified: {
      sentence: 'The product needs a verified address. A person verifies it by a code or a link that is mailed.',
      claim: null,
    },
    groups: {
      sentence: 'The product needs groups. They are the roles of a person, in the claim that roles_claim of the application names.',
      claim: null,
    },
  }
  return needs.flatMap((need) => (Object.hasOwn(unmet, need) ? (unmet[need] ?? []) : []))
}
