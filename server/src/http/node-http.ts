/**
 * `node:http`, taken so that it brings nothing along. An `import` statement reads every export of a built-in module, and
 * one of this one's is Node's WebSocket client: 12 MB of memory that nothing here uses. See docs/decisions/0022.
 */
export const { createServer, request } = process.getBuiltinModule('node:http')
