/** The base URL in the OpenAPI document of this repository, `docs/openapi.json`. A service puts its own in its place. */
export const described_base_url = 'http://localhost:3000'
