/** Unpacks the Chromium of the npm package into TMPDIR. Its package reads the environment while it is imported, hence a process of its own. */
import chromium from '@sparticuz/chromium'

await chromium.executablePath()
