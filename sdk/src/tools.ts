/** The tools that a message of an MCP client calls. */

/**
 * Returns the scopes of all tools that a message calls, each once; none for a message that calls no tool. `null` if it calls a tool that is not listed.
 *
 * JSON-RPC 2.0 §6: a message can be a list. Earlier revisions of MCP have such lists, and servers still take them
 */
export function scopesOfTools(message: unknown, tools: ReadonlyMap<string, readonly string[]>): string[] | null {
  const scopes = new Set<string>()
  for (const each of [message].flat()) {
    const { method, params } = membersOf(each)
    if (method !== 'tools/call') continue
    const { name } = membersOf(params)
    const of_tool = typeof name === 'string' ? tools.get(name) : undefined
    if (of_tool === undefined) return null
    for (const scope of of_tool) scopes.add(scope)
  }
  return [...scopes]
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {} // as: an object
