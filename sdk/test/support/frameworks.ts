/** One small application for each framework: what `protect` admits is answered with the subject of the token, and with the body of a POST. */
import { createServer, type RequestListener } from 'node:http'
import { after } from 'node:test'
import * as forExpress from '@ostiary/sdk/express'
import * as forFastify from '@ostiary/sdk/fastify'
import * as forFetch from '@ostiary/sdk/fetch'
import * as forHono from '@ostiary/sdk/hono'
import * as forNode from '@ostiary/sdk/node'
import express, { type RequestHandler } from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import type { ProtectOptions } from '../../src/protect.ts'

type Send = (path: string, init?: RequestInit) => Promise<Response>
export type Options = Omit<ProtectOptions<unknown>, 'organization'> & { organization?: string | undefined }
export interface Application {
  /** The options of each path. */
  paths: Readonly<Record<string, Options>>
  /** The options of `/of/{organization}`, whose path names the organization. */
  of_organization?: Options
}

const well_known = '/.well-known/oauth-protected-resource'
/** The paths at which the middleware of a path stands. */
const mountsOf = (path: string, { tools, metadata = tools !== undefined }: Options) =>
  metadata ? [path, well_known, `${well_known}${path}`] : [path]
/** The path and the options for a request, in a server without routes. */
function routed({ paths, of_organization }: Application, asked: string) {
  const found = Object.entries(paths).find(([path, options]) => mountsOf(path, options).includes(asked))?.[1]
  return { options: found ?? of_organization, organization: found ? found.organization : organizationIn }
}
const organizationIn = ({ url = '' }: { url?: string | undefined }) => /\/of\/([^/?]+)$/.exec(url)?.[1]

async function listen(listener: RequestListener): Promise<Send> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  const address = server.address()
  const base_url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return (path, init) => fetch(base_url + path, init)
}

function startExpress({ paths, of_organization }: Application, ...earlier: RequestHandler[]): Promise<Send> {
  const app = express()
  for (const each of earlier) app.use(each)
  for (const [path, options] of Object.entries(paths)) {
    for (const mount of mountsOf(path, options)) app.use(mount, forExpress.protect(options))
    app.all(path, (request, response) => void response.json({ sub: forExpress.tokenOf(request).sub, body: request.body }))
  }
  if (of_organization)
    app.get(
      '/of/:organization',
      forExpress.protect({ ...of_organization, organization: (request) => request.params.organization }),
      (request, response) => void response.json({ sub: forExpress.tokenOf(request).sub }),
    )
  return listen(app)
}

async function startHono({ paths, of_organization }: Application): Promise<Send> {
  const app = new Hono()
  for (const [path, options] of Object.entries(paths)) {
    for (const mount of mountsOf(path, options)) app.use(mount, forHono.protect(options))
    app.all(path, async (c) => c.json({ sub: forHono.tokenOf(c).sub, body: c.req.method === 'POST' ? await c.req.json() : undefined }))
  }
  if (of_organization) {
    app.use('/of/:organization', forHono.protect({ ...of_organization, organization: (c) => c.req.param('organization') }))
    app.get('/of/:organization', (c) => c.json({ sub: forHono.tokenOf(c).sub }))
  }
  return async (path, init) => app.request(path, init)
}

async function startFetch(application: Application): Promise<Send> {
  const answer = async (request: Request, suffix: string) =>
    Response.json({ sub: forFetch.tokenOf(request).sub + suffix, body: request.method === 'POST' ? await request.json() : undefined })
  return async (path, init) => {
    const request = new Request(`https://api.example.com${path}`, init)
    const { options, organization } = routed(application, new URL(request.url).pathname)
    return options ? forFetch.protect({ ...options, organization }, answer)(request, '') : new Response(null, { status: 404 })
  }
}

function startNode(application: Application): Promise<Send> {
  return listen((request, response) => {
    const { options, organization } = routed(application, (request.url ?? '').replace(/\?.*/, ''))
    if (!options) return response.writeHead(404).end()
    return forNode.protect({ ...options, organization })(request, response, (error) => {
      if (error) return response.writeHead(500).end()
      return response.end(JSON.stringify({ sub: forNode.tokenOf(request).sub, body: 'body' in request ? request.body : undefined }))
    })
  })
}

async function startFastify({ paths, of_organization }: Application): Promise<Send> {
  const app = Fastify()
  for (const [path, options] of Object.entries(paths))
    for (const url of mountsOf(path, options))
      app.all(url, { preHandler: forFastify.protect(options) }, async (request) => ({
        sub: forFastify.tokenOf(request).sub,
        body: request.body,
      }))
  if (of_organization) {
    const preHandler = forFastify.protect({ ...of_organization, organization: organizationIn })
    app.get('/of/:organization', { preHandler }, async (request) => ({ sub: forFastify.tokenOf(request).sub }))
  }
  await app.listen({ host: '127.0.0.1', port: 0 })
  after(() => app.close())
  return (path, init) => fetch(app.listeningOrigin + path, init)
}

export const frameworks: Readonly<Record<string, (application: Application) => Promise<Send>>> = {
  Express: startExpress,
  'Express after a parser': (application) => startExpress(application, express.json({ type: () => true, strict: false })),
  'Express after a parser that skips': (application) =>
    startExpress(application, (request, _response, next) => {
      request.body = {} // as the parsers of Express 4 leave it for a type that is not theirs
      next()
    }),
  Hono: startHono,
  'the Fetch standard': startFetch,
  'node:http': startNode,
  Fastify: startFastify,
}
