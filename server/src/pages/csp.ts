// pure
/**
 * What a page may load: its own two style sheets and at most one script, by hash, and images from the origins of its
 * logos. There is no form-action directive: browsers apply it to redirects too, and a post may end at the client.
 */
import { createHash } from 'node:crypto'

interface Allowed {
  styles: readonly string[]
  script: string | undefined
  images: readonly (string | null)[]
  /** A page that is an application of its own: its scripts are files of this origin, which they may call. */
  is_application?: boolean
}

export function contentSecurityPolicy({ styles, script, images, is_application }: Allowed): string {
  const origins = new Set(images.map(imageOrigin).filter((origin) => origin !== null))
  const directives = [
    "default-src 'none'",
    `style-src ${styles.map(hashSource).join(' ')}`,
    `img-src ${origins.size > 0 ? [...origins].join(' ') : "'none'"}`,
    ...(script === undefined ? [] : [`script-src ${hashSource(script)}`]),
    ...(is_application ? ["script-src 'self'", "connect-src 'self'"] : []),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return directives.join('; ')
}

/** Where an image comes from. null: it cannot be named in a policy, since a host may hold what ends a directive. */
export function imageOrigin(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null
  const { protocol, host } = new URL(url)
  return /^https?:$/.test(protocol) && /^[a-z0-9._-]+(:\d+)?$|^\[[0-9a-f:]+\](:\d+)?$/.test(host) ? `${protocol}//${host}` : null
}

const hashSource = (content: string) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`
