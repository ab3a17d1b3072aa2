// pure
/** Returns the named fields of an object. */
export const picked = <T extends object, Name extends keyof T>(from: T, names: readonly Name[]): Pick<T, Name> =>
  Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, Name> // as: an entry for each name
