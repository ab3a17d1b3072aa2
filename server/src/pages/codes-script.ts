// pure
/**
 * The script of the page of recovery codes: copies, downloads and prints them. Without it the tools are hidden, and the codes are text. A
 * browser has a clipboard for pages only where the issuer has `https`, or is on the machine itself.
 */
export const codes_script = `(() => {
  const tools = document.querySelector('[data-code-tools]')
  const { heading, file, copied, failed } = tools.dataset
  const codes = [...document.querySelectorAll('[data-recovery-code]')].map((code) => code.textContent)
  const text = [heading, '', ...codes, ''].join('\\n')
  const [copy, download, print] = tools.querySelectorAll('button')
  const said = tools.nextElementSibling
  copy.hidden = !navigator.clipboard
  copy.onclick = async () => {
    const is_copied = await navigator.clipboard.writeText(text).then(() => true, () => false)
    said.textContent = is_copied ? copied : failed
  }
  download.onclick = () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    link.download = file
    link.click()
  }
  print.onclick = () => window.print()
  tools.hidden = false
})()`
