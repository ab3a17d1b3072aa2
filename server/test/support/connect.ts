/** Programs that run the snippets of the dashboard's Connect panel, and the tools that they need. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'

const root = join(import.meta.dirname, '../../..')
const tools = join(root, '.node')

export const python = join(tools, 'authlib/bin/python')
export const noPython = existsSync(python) ? false : 'needs Authlib and Flask, which .ci/run installs'
const go_folder = join(tools, 'go')
export const noGo = existsSync(join(go_folder, 'compiled')) ? false : 'needs Go with go-oidc, which scripts/prepare-go.sh compiles'
export const go_module = join(import.meta.dirname, 'go')
export const go_environment = { GOCACHE: join(go_folder, 'cache'), GOMODCACHE: join(go_folder, 'modules'), GOPROXY: 'off', GOFLAGS: '' }

/** A folder whose programs find the libraries of `examples/`. */
export function programFolder(): string {
  const libraries = join(root, 'examples/node_modules')
  mkdirSync(libraries, { recursive: true })
  const folder = mkdtempSync(join(libraries, '.connect-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return folder
}

/** Serves the module of the openid-client snippet, `sign-in.mjs`. */
export const openid_client_server = `
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { beginSignIn, finishSignIn } from './sign-in.mjs'

const begun = new Map()
createServer(async (request, response) => {
  try {
    const id = /visit=([\\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? randomUUID()
    const { pathname, searchParams } = new URL(request.url, 'http://localhost')
    if (pathname === '/sign-in') {
      const { url, checks } = await beginSignIn(searchParams.get('organization'))
      begun.set(id, checks)
      return response.writeHead(302, { location: url.href, 'set-cookie': 'visit=' + id }).end()
    }
    if (!request.url.startsWith('/callback')) return response.end()
    const { user_id, org_id } = await finishSignIn(request.url, begun.get(id) ?? {})
    response.end('Signed in as ' + user_id + (org_id ? ' in ' + org_id : ''))
  } catch (error) {
    response.writeHead(400).end(String(error))
  }
}).listen(process.env.PORT, 'localhost')
`
