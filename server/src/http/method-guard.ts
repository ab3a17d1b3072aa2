/** 405 for a known address with another method. */
import { oidcRoutes, routes, serviceRoutes } from '@ostiary/contract/routes.ts'
import { reason } from '../reason.ts'
import { ApiError } from './problem.ts'

/**
 * Returns a function that checks a request for which no route was found. RFC 9110 §15.5.6: if other methods exist at the address, the
 * response is 405 and lists them in `Allow`. `undefined` means that the address is unknown.
 */
export function createMethodGuard(): (request: { url: string; method: string }) => ApiError | undefined {
  const methods_of = new Map<string, Set<string>>()
  for (const { path, method } of [...Object.values(routes), ...Object.values(oidcRoutes), ...Object.values(serviceRoutes)]) {
    const methods = methods_of.get(path) ?? new Set()
    methods_of.set(path, methods.add(method))
    if (method === 'GET') methods.add('HEAD')
  }
  const addresses = [...methods_of].map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods,
  }))
  return ({ url, method }) => {
    const [path = ''] = url.split('?', 1)
    const methods = addresses.find(({ pattern }) => pattern.test(path))?.methods
    if (!methods || methods.has(method)) return undefined
    const allow = [...methods].join(', ')
    return new ApiError('method_not_allowed', `This address takes ${allow}.`, {
      headers: { allow },
      reason: reason`The address exists, but not with this method.`,
    })
  }
}
