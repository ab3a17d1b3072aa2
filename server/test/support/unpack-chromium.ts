/** Unpacks the Chromium of the npm package into TMPDIR. A separate process, because the package reads the environment on import. */
import chromium from '@sparticuz/chromium'

await chromium.executablePath()
