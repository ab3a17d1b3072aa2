/** Twelve roles, and which of them the holder of one may give, take, invite with, and remove a holder of. The tests make these roles. */

// biome-ignore format: this table is read by column
const may_give: Readonly<Record<string, string>> = {
  //          owner  manager  steward janitor editor viewer deleter keeper renewed badge guest  door
  owner:   '  yes    yes      yes     no      yes    yes    yes     no     no      no    no     no  ',
  manager: '  no     yes      yes     no      yes    yes    no      no     no      no    no     no  ',
  steward: '  no     no       yes     no      no     no     no      no     no      no    no     no  ',
  janitor: '  no     no       yes     yes     no     no     no      yes    no      no    no     no  ',
  editor:  '  no     no       no      no      no     no     no      no     no      no    no     no  ',
  viewer:  '  no     no       no      no      no     no     no      no     no      no    no     no  ',
  deleter: '  no     no       no      no      no     no     no      no     no      no    no     no  ',
  keeper:  '  no     no       no      no      no     no     no      no     no      no    no     no  ',
  renewed: '  no     no       no      no      no     no     no      no     no      no    no     no  ',
  badge:   '  no     no       no      no      no     no     no      no     no      no    no     no  ',
  guest:   '  no     no       no      no      no     no     no      no     no      no    no     no  ',
  door:    '  no     no       yes     no      no     no     no      no     no      no    no     yes ',
}

export const giving_roles: readonly string[] = Object.keys(may_give)

/** The roles that a member with this one alone may give. */
export const givenBy = (own: string): string[] => {
  const words = (may_give[own] ?? '').trim().split(/\s+/)
  if (words.length !== giving_roles.length) throw new Error(`The row of ${own} has ${words.length} words.`)
  return giving_roles.filter((_, i) => words[i] === 'yes')
}
