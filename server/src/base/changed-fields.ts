// pure
/** Returns those of the names whose values differ, in their order. The values are JSON. */
export const changedFields = (names: readonly string[], before: object, after: object): string[] =>
  names.filter((name) => JSON.stringify(fieldOf(before, name)) !== JSON.stringify(fieldOf(after, name)))

const fieldOf = (fields: object, name: string) => (fields as Record<string, unknown>)[name] // as: reads a field by its name
