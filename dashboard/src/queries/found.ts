/** Searches by name for the palette: objects of the environment, projects of the tenant, and sections of the documentation. */
import type { Client } from '@ostiary/sdk'
import { type Here, key, one, type Signal } from './query.ts'

/** The most of each kind. Another word narrows the search, and the list of the kind has all. */
const MOST = 5

export interface Section {
  title: string
  heading: string
  url: string
}

interface Place {
  client: Client
  tenant: { id: string }
  at: Here['at'] | null
  may_read_users: boolean
  /** The deployment itself has no organizations. */
  has_organizations: boolean
}

async function searchDocuments(words: string, { signal }: Signal): Promise<{ data: Section[] }> {
  const answer = await fetch(`/docs/search?${new URLSearchParams({ q: words })}`, {
    headers: { accept: 'application/json' },
    signal: signal ?? null,
  })
  const { results }: { results: Section[] } = await answer.json()
  return { data: results }
}

async function keysNamed(client: Client, at: Here['at'], words: string, options: Signal) {
  const { data } = await client.listAuthKeys({ ...at, limit: 100 }, options).page()
  return { data: data.filter(({ label }) => label?.toLowerCase().includes(words.toLowerCase())) }
}

export const found = ({ client, tenant, at, may_read_users, has_organizations }: Place, words: string) =>
  one(key('found', tenant.id, at?.environment_id, words), async (options) => {
    const asked = { query: words, limit: MOST }
    let is_whole = true
    /** A part that cannot be read is left out: the others are still of use. */
    async function orNone<T>(read: Promise<{ data: T[] }> | null): Promise<T[]> {
      try {
        return (await read)?.data.slice(0, MOST) ?? []
      } catch {
        is_whole = false
        return []
      }
    }
    const [users, organizations, applications, keys, projects, documents] = await Promise.all([
      orNone(at && may_read_users ? client.listUsers({ ...at, ...asked }, options).page() : null),
      orNone(at && may_read_users && has_organizations ? client.listOrganizations({ ...at, ...asked }, options).page() : null),
      orNone(at && client.listApplications({ ...at, ...asked }, options).page()),
      orNone(at && keysNamed(client, at, words, options)),
      orNone(client.listProjects(asked, options).page()),
      orNone(searchDocuments(words, options)),
    ])
    return { words, is_whole, users, organizations, applications, keys, projects, documents }
  })
