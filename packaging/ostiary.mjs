#!/usr/bin/env node
// The entry of a release: `node ostiary.mjs serve`. It needs Node 24 and nothing else.
import { enableCompileCache } from 'node:module'

if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(`Ostiary needs Node 24 or later, and this is ${process.version}.\n`)
  process.exit(1)
}
// Node calls its SQLite experimental at each start. The version of Node that a release is tested with has it.
const emitWarning = process.emitWarning
process.emitWarning = (warning, type, ...rest) => {
  if (type !== 'ExperimentalWarning') emitWarning.call(process, warning, type, ...rest)
}
// Without a writable folder for it, Node starts without the cache.
if (process.env.NODE_COMPILE_CACHE === undefined) enableCompileCache()
await import('./dist/main.js')
