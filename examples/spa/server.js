/** Serves the files of the application. A bundler such as Vite would do the same. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

const { ISSUER, CLIENT_ID, PORT } = process.env
const origin = `http://localhost:${PORT}`

const file = (name) => readFileSync(new URL(name, import.meta.url))
const library = new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts'))
const files = {
  '/': ['text/html; charset=utf-8', file('index.html')],
  '/app.js': ['text/javascript', file('app.js')],
  '/oidc-client-ts.js': ['text/javascript', readFileSync(fileURLToPath(library))],
  '/settings.json': ['application/json', JSON.stringify({ issuer: ISSUER, client_id: CLIENT_ID })], // neither is a secret
}

// The scripts can come only from here, and send tokens only to the issuer.
const policy = `default-src 'none'; script-src 'self'; connect-src 'self' ${new URL(ISSUER).origin}; base-uri 'none'; frame-ancestors 'none'`

createServer((request, response) => {
  const [type, content] = files[new URL(request.url, origin).pathname] ?? []
  if (!type) return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': type, 'content-security-policy': policy, 'cache-control': 'no-cache' }).end(content)
}).listen(Number(PORT), 'localhost', () => console.log(`Open ${origin}`))
