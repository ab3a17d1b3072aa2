/** Finds the files that are read at run time. A new folder of such files is also a line in `ASSETS` of build.mjs. */
import { existsSync } from 'node:fs'

/** A build has them in `assets/` beside its code, a clone below `server/`. */
const built = new URL('./assets/', import.meta.url)
const root = existsSync(built) ? built : new URL('../', import.meta.url)

/** @param path relative to `server/` */
export const assetUrl = (path: string): URL => new URL(path, root)
