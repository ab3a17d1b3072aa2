/** The package of the client library, which each service serves. The dashboard has a generated copy. */

/** That of `sdk/package.json`. */
export const sdk_version = '0.6.0'

export const sdkFile = (version = sdk_version): string => `ostiary-sdk-${version}.tgz`

/** Where a service serves the package, for `npm install`. */
export const sdkAddress = (base_url: string): string => `${base_url}/sdk/${sdkFile()}`
