/** Files that are read at run time. A new folder of them is a line in `ASSETS` of build.mjs too. */
import { existsSync } from 'node:fs'

/** The build has them in `assets/` beside its code; the sources have them below `server/`. */
const built = new URL('./assets/', import.meta.url)
const root = existsSync(built) ? built : new URL('../', import.meta.url)

/** @param path relative to `server/` */
export const assetUrl = (path: string): URL => new URL(path, root)
