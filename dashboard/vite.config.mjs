// The build of the dashboard. `build.mjs` of the repository runs it and passes the folder of the result.
import { join } from 'node:path'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  resolve: { alias: { '@ostiary/sdk': join(import.meta.dirname, '../sdk/src/index.ts') } },
  html: { cspNonce: '__CSP_NONCE__' }, // the server puts a fresh nonce in its place, in every answer
  build: {
    target: 'es2022',
    emptyOutDir: false, // pages that are open still load the chunks of the previous build; build.mjs removes older ones
    assetsInlineLimit: 0, // the policy of the page allows no data: URLs
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    reportCompressedSize: false,
  },
})
