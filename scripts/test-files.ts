/** How the test files of a full run are spread over processes. */

/** These start programs, change the process they run in, or measure it. */
const own_process: readonly RegExp[] = [
  /^server\/test\/[^/]+$/,
  /^server\/test\/browser\//,
  /^(cli|scripts|packaging)\//,
  /^server\/test\/flows\/(bad-input|browser-state)\.test\.ts$/, // replace URLSearchParams
  /^server\/test\/(api\/field-order|dashboard\/settings-fields)\.test\.ts$/, // read schemas as they are before the documentation registers names
  /^server\/src\/(outbound\/fetch|db\/private-files)\.test\.ts$/,
]

export const needsOwnProcess = (file: string): boolean => own_process.some((pattern) => pattern.test(file))

/** The files that take longest, longest first: one that begins last would leave a core idle. */
export const long_files: readonly string[] = [
  'api/slugs',
  'api/words',
  'flows/webhooks-killed',
  'api/guards-credentials',
  'flows/outgoing-addresses',
  'flows/account-attacker',
  'api/guards-operators',
  'api/guards-http',
  'flows/authorize',
  'api/guards-text',
  'api/guards-bodies',
  'api/guards-objects',
  'flows/second-factor',
  'flows/mail-delivery',
  'flows/authorize-walk',
  'flows/sequencer',
].map((name) => `server/test/${name}.test.ts`)
