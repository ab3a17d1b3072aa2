/** How the first object of a list is made without the dashboard: curl and the client library, with the real address and ids. */
import { CodeTabs } from './code.tsx'
import { curlOf } from './curl.ts'

interface CreationProps {
  /** The operation of the client library. */
  operation: string
  path: string
  /** The parameters of the path, in their order. */
  params?: Readonly<Record<string, string>>
  body?: object
}

/** A member of an object in TypeScript, with quotes as its readers write them. */
const literal = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([name, member]) => `${name}: ${literal(member)}`)
      .join(', ')} }`
  return typeof value === 'string' ? `'${value}'` : String(value)
}

/** The environment's path, as `at` of `useEnvironment` names it. */
export const pathOf = ({ project_id, environment_id }: { project_id: string; environment_id: string }) =>
  `/v1/platform/projects/${project_id}/environments/${environment_id}`

export function ByApi({ operation, path, params, body }: CreationProps) {
  const base_url = location.origin
  const args = [params, body].filter((each) => each !== undefined).map(literal)
  const call = body
    ? `console.log(await ostiary.${operation}(${args.join(', ')}))`
    : `for await (const each of ostiary.${operation}(${args.join(', ')})) console.log(each)`
  const typescript = `import { createClient } from '@ostiary/sdk'\n\nconst ostiary = createClient({ base_url: '${base_url}', api_key: process.env.OSTIARY_PLATFORM_KEY })\n${call}`
  return (
    <CodeTabs
      label="The same by the API"
      snippets={[
        { name: 'curl', code: curlOf(base_url, { path, body }) },
        { name: 'TypeScript', code: typescript },
      ]}
    />
  )
}
