// pure
/**
 * The script of pages with a passkey ceremony, the same text for all of them, so that its hash is one. It shows the part of the page
 * that needs it, asks the authenticator, and posts the response unchanged in the form of that part. On a sign-in page it also offers
 * passkeys in the list of the address field (`mediation: 'conditional'`). Its options are in the attributes of `passkey-block.ts`.
 *
 * Browsers before 2025 lack the functions of WebAuthn §5.1 that read and write JSON; `bytes`, `text` and `asJson` stand in for them.
 */
export const passkey_script = `(() => {
  const block = document.querySelector('[data-passkey]')
  const credentials = navigator.credentials
  const PKC = window.PublicKeyCredential
  if (!block || !credentials || !PKC) return
  const { passkey: kind, options: json, cookie, removed, automatic } = block.dataset
  const form = block.querySelector('form')
  const button = form.querySelector('button')

  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, '')
  const listed = (list) => (list || []).map((one) => ({ ...one, id: bytes(one.id) }))
  function readOptions() {
    const options = JSON.parse(json)
    const read = kind === 'get' ? 'parseRequestOptionsFromJSON' : 'parseCreationOptionsFromJSON'
    if (PKC[read]) return PKC[read](options)
    const challenge = bytes(options.challenge)
    if (kind === 'get') return { ...options, challenge, allowCredentials: listed(options.allowCredentials) }
    const user = { ...options.user, id: bytes(options.user.id) }
    return { ...options, challenge, user, excludeCredentials: listed(options.excludeCredentials) }
  }
  function asJson(credential) {
    try {
      if (credential.toJSON) return credential.toJSON()
    } catch {} // some password managers answer with an object of their own
    const { id, type, response, authenticatorAttachment } = credential
    const fields = { clientDataJSON: text(response.clientDataJSON) }
    if (kind === 'create') {
      fields.attestationObject = text(response.attestationObject)
      fields.transports = response.getTransports ? response.getTransports() : []
    } else {
      fields.authenticatorData = text(response.authenticatorData)
      fields.signature = text(response.signature)
      if (response.userHandle) fields.userHandle = text(response.userHandle)
    }
    const clientExtensionResults = credential.getClientExtensionResults ? credential.getClientExtensionResults() : {}
    return { id, rawId: id, type, response: fields, authenticatorAttachment, clientExtensionResults }
  }

  let waiting = null
  async function ask(mediation) {
    if (waiting) waiting.abort()
    const mine = (waiting = new AbortController())
    const request = { publicKey: readOptions(), signal: mine.signal }
    if (mediation) request.mediation = mediation
    const credential = await (kind === 'get' ? credentials.get(request) : credentials.create(request))
    if (!credential || mine.signal.aborted) return
    form.elements.credential.value = JSON.stringify(asJson(credential))
    const box = document.querySelector('input[type=checkbox][name=trust_browser]')
    if (box && box.form !== form) form.elements.trust_browser.value = box.checked ? box.value : ''
    HTMLFormElement.prototype.submit.call(form)
  }
  const show = (when) => {
    for (const one of block.querySelectorAll('[data-when]')) {
      one.hidden = one.dataset.when !== when
      if (one.hidden) one.removeAttribute('role')
      else one.setAttribute('role', 'alert')
    }
  }
  async function offerInField() {
    const field = document.querySelector('input[autocomplete~=webauthn]')
    if (kind !== 'get' || !field || !PKC.isConditionalMediationAvailable) return
    if (await PKC.isConditionalMediationAvailable()) await ask('conditional')
  }
  // The form is posted once, after a refusal or a silence too, so that the person goes on.
  function createByItself() {
    let late
    const goOn = () => {
      clearTimeout(late)
      waiting.abort()
      if (late) HTMLFormElement.prototype.submit.call(form)
      late = 0
    }
    late = setTimeout(() => {
      form.elements.automatic.value = 'late'
      goOn()
    }, 5000)
    ask('conditional').then(() => (form.elements.credential.value ? clearTimeout(late) : goOn()), goOn)
  }
  form.addEventListener('submit', (event) => {
    if (event.submitter && event.submitter !== button) return
    event.preventDefault()
    show(null)
    button.disabled = true
    ask()
      .catch((error) => {
        show(error && error.name === 'InvalidStateError' ? 'known' : 'failed')
        if (!block.querySelector('[data-when]:not([hidden])')) show('failed')
        button.disabled = false
        return offerInField()
      })
      .catch(() => {})
  })
  // A page from the history of the browser is as it was left.
  addEventListener('pageshow', () => (button.disabled = false))
  if (removed && PKC.signalUnknownCredential) PKC.signalUnknownCredential(JSON.parse(removed)).catch(() => {})
  if (cookie) {
    document.cookie = cookie
    const ask_abilities = PKC.getClientCapabilities ? PKC.getClientCapabilities() : Promise.resolve({})
    // The service then lets the browser create a passkey by itself, where the environment wants that.
    ask_abilities.then((can) => can.conditionalCreate && (document.cookie = cookie.replace('=1;', '=2;'))).catch(() => {})
  }
  if (automatic !== undefined) return createByItself()
  block.hidden = false
  offerInField().catch(() => {})
})()`
