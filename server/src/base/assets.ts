/** Finds the files that are read at run time. A new folder of such files is also a line in `ASSETS` of build.mjs. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A build has them in `assets/` beside its code, a clone below `server/`. */
const built = new URL('./assets/', import.meta.url)
const root = existsSync(built) ? built : new URL('../../', import.meta.url)

/** @param path relative to `server/` */
export const assetUrl = (path: string): URL => new URL(path, root)

/**
 * The file that a thread begins with. A build has it beside its main file; a new one is also a line in `THREADS` of build.mjs.
 * @param name relative to `server/src/`, without the extension
 */
export const threadUrl = (name: string): URL =>
  existsSync(built) ? new URL(`./${name.split('/').at(-1)}.js`, import.meta.url) : new URL(`../${name}.ts`, import.meta.url)

/** The built dashboard: in `dist/`, beside the code of a build. It may be missing. */
export const dashboard_folder = fileURLToPath(new URL(existsSync(built) ? './dashboard/' : '../../../dist/dashboard/', import.meta.url))

/** The packages of the client library, beside the built dashboard. It may be missing. */
export const sdk_folder = fileURLToPath(new URL(existsSync(built) ? './sdk/' : '../../../dist/sdk/', import.meta.url))

/** The folder that has `docs/`: the clone, or the release, whose build is in `dist/`. */
export const documents_root = fileURLToPath(new URL(existsSync(built) ? '../' : '../../../', import.meta.url))
