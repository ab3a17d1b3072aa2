/** The authorization response (RFC 6749 §4.1.2), by the redirect URI and response mode of the request. */
import { formPostPage } from '../../../pages/form-post.ts'
import type { AuthorizationRequest } from '../../../protocol/authorize.ts'
import type { Client } from '../../../protocol/client.ts'
import type { OAuthError } from '../../../protocol/oauth-error.ts'
import { authorizationResponse } from '../../../protocol/respond.ts'
import { type Answer, type OidcCall, redirect, refused } from '../../call.ts'
import { html, pageContext } from '../../hosted-page.ts'
import { shownName } from '../../metadata-client.ts'

/** Sends the client a code or an error. */
export function answerClient(
  call: OidcCall,
  client: Client,
  response: Pick<AuthorizationRequest, 'redirect_uri' | 'response_mode' | 'state'> & ({ error: OAuthError } | { code: string }),
): Answer {
  const answer = authorizationResponse(response, call.issuer.url, 'error' in response ? response.error : { code: response.code })
  const sent =
    answer.kind === 'redirect'
      ? redirect(answer.location)
      : html(
          formPostPage(pageContext(call), { application_name: shownName(client), redirect_uri: answer.action, parameters: answer.fields }),
        )
  return 'error' in response ? refused(sent, response.error) : sent
}
