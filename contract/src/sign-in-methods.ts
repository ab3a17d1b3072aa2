/**
 * The sign-in methods, one row each. Every list and every type of methods comes from this table, so that a further row makes the compiler
 * name each place that must answer for it. Lists and pages have the order of the rows.
 */
interface Method {
  /** The default of its switch in the settings `sign_in`; `null` for a method without one there. */
  is_on: boolean | null
  /** The type of the method on an account, in the words of the API; `null` for a method that needs only the address. */
  kind: string | null
  /** Where it is used: a sign-in begins with it, it is asked for after another method, or both. */
  factor: 'first' | 'second' | 'both'
  /** RFC 8176; `null` where each sign-in says it. */
  amr: readonly string[] | null
}

// biome-ignore format: this table is read by column
export const sign_in_methods = {
  password:      { is_on: true,  kind: 'password',       factor: 'first',  amr: ['pwd'] },
  email_code:    { is_on: false, kind: null,             factor: 'first',  amr: ['otp'] },
  passkey:       { is_on: false, kind: 'passkey',        factor: 'both',   amr: null },
  totp:          { is_on: null,  kind: 'totp',           factor: 'second', amr: ['otp'] },
  recovery_code: { is_on: null,  kind: 'recovery_codes', factor: 'second', amr: ['otp'] },
  provider:      { is_on: null,  kind: 'provider',       factor: 'first',  amr: [] },
} as const satisfies Record<string, Method>

type Methods = typeof sign_in_methods
type MethodName = keyof Methods
type Where<Fact> = { [M in MethodName]: Methods[M] extends Fact ? M : never }[MethodName]

/** A method that the settings `sign_in` switch on and off. */
export type SwitchedMethod = Where<{ is_on: boolean }>
/** A method that a sign-in begins with. */
export type FirstFactor = Where<{ factor: 'first' | 'both' }>
/** A method that can be asked for after a first one. */
export type SecondFactor = Where<{ factor: 'second' | 'both' }>
/** A method of which an account has nothing but its address. */
export type MethodByAddress = Where<{ kind: null }>
/** A kind of method on an account that can be a second factor. */
export type FactorKind = NonNullable<Methods[SecondFactor]['kind']>
/** A kind of method on an account. */
export type MethodKind = NonNullable<Methods[MethodName]['kind']>

const names = Object.keys(sign_in_methods) as MethodName[] // as: the keys of the table
const isSwitched = (name: MethodName): name is SwitchedMethod => sign_in_methods[name].is_on !== null
const isByAddress = (name: MethodName): name is MethodByAddress => sign_in_methods[name].kind === null
const isFirst = (name: MethodName): name is FirstFactor => sign_in_methods[name].factor !== 'second'

export const switched_methods: readonly SwitchedMethod[] = names.filter(isSwitched)
export const first_factors: readonly FirstFactor[] = names.filter(isFirst)
export const methods_by_address: readonly MethodByAddress[] = names.filter(isByAddress)
export const method_kinds: readonly MethodKind[] = names.map((name) => sign_in_methods[name].kind).filter((kind) => kind !== null)

/** The kinds that are asked for only after another method. */
export const second_kinds: readonly MethodKind[] = names.flatMap((name) => {
  const { kind, factor } = sign_in_methods[name]
  return kind !== null && factor === 'second' ? [kind] : []
})

/** The kinds that can be a second factor. */
export const factor_kinds: readonly MethodKind[] = names.flatMap((name) => {
  const { kind, factor } = sign_in_methods[name]
  return kind !== null && factor !== 'first' ? [kind] : []
})

/** One value for each method with a switch, such as its schema or whether it is on. */
export const bySwitch = <T>(makeValue: (name: SwitchedMethod) => T): Record<SwitchedMethod, T> =>
  Object.fromEntries(switched_methods.map((name) => [name, makeValue(name)])) as Record<SwitchedMethod, T> // as: one entry for each name
