/** The variables that only the client of the command line reads (`cli/src/client/`). The service accepts them and ignores them. */
export const client_variables = ['OSTIARY_KEY', 'OSTIARY_URL', 'OSTIARY_PROFILE'] as const
/** The values of the secrets that a configuration file names. */
export const secret_variables = 'OSTIARY_SECRET_'
export type ClientVariable = (typeof client_variables)[number]
