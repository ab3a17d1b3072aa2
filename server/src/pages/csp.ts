// pure
/**
 * The content security policy of a page. It allows the page's own style sheets and at most one script, by hash, images from the
 * origins of its logos, and its icon, which is a data URL. It has no form-action directive: browsers apply it to redirects too, and a form post may redirect to
 * the client.
 */
import { sha256 } from '../base/digest.ts'

interface Allowed {
  styles: readonly string[]
  script: string | undefined
  images: readonly (string | null)[]
  /** The page is in a frame of this origin, and nothing on it works. */
  is_preview?: boolean
  /** The one address that the script may call. */
  calls?: string | undefined
}

export function contentSecurityPolicy(allowed: Allowed): string {
  const { styles, script, images, is_preview = false, calls } = allowed
  const origins = new Set(images.map(imageOrigin).filter((origin) => origin !== null))
  const directives = [
    "default-src 'none'",
    `style-src ${styles.map(hashSource).join(' ')}`,
    `img-src ${['data:', ...origins].join(' ')}`,
    ...(script === undefined ? [] : [`script-src ${hashSource(script)}`]),
    ...(calls === undefined ? [] : [`connect-src ${calls}`]),
    `frame-ancestors ${is_preview ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    ...(is_preview ? ["form-action 'none'", 'sandbox'] : []),
  ]
  return directives.join('; ')
}

/** The origin of an image. `null` if it cannot appear in a policy, because a host may contain characters that end a directive. */
export function imageOrigin(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null
  const { protocol, host } = new URL(url)
  return /^https?:$/.test(protocol) && /^[a-z0-9._-]+(:\d+)?$|^\[[0-9a-f:]+\](:\d+)?$/.test(host) ? `${protocol}//${host}` : null
}

const hashSource = (content: string) => `'sha256-${sha256(content, 'base64')}'`
