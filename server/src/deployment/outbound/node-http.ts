/**
 * Loads `node:http` without its unused parts. An `import` statement reads every export of a built-in module, and one export of this module
 * is Node's WebSocket client, which takes 12 MB. See docs/decisions/0022.
 */
export const { createServer, request, ServerResponse } = process.getBuiltinModule('node:http')
