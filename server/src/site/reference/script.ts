// pure
/**
 * The script of the documentation pages, the same text for all of them, so that its hash is one. It closes the contents on a narrow screen, adds a
 * button that copies each block of code, keeps the chosen form of examples, the key `/` that goes to the search, and results below the search field while a person types. Texts are never read as markup.
 */
export const documentation_script = `(() => {
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties)
    element.append(...children)
    return element
  }

  if (matchMedia('(max-width: 900px)').matches) document.querySelector('nav details').open = false

  const status = make('p', { className: 'vh', role: 'status' })
  document.body.append(status)
  if (navigator.clipboard)
    for (const block of document.querySelectorAll('main pre')) {
      const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' })
      button.setAttribute('aria-label', 'Copy: ' + block.getAttribute('aria-label'))
      button.onclick = async () => {
        await navigator.clipboard.writeText(block.textContent.replace(/\\n?$/, '\\n'))
        status.textContent = button.textContent = 'Copied'
        setTimeout(() => { status.textContent = ''; button.textContent = 'Copy' }, 2000)
      }
      const frame = make('div', { className: 'block' })
      block.replaceWith(frame)
      frame.append(block, button)
    }

  const ways = [...document.querySelectorAll('.ways input')]
  const choose = (value) => {
    for (const input of ways) if (input.value === value) input.checked = true
  }
  for (const input of ways)
    input.onchange = () => {
      const before = input.getBoundingClientRect().top
      choose(input.value)
      scrollBy(0, input.getBoundingClientRect().top - before)
      try { localStorage.setItem('ostiary-example', input.value) } catch {}
    }
  try { choose(localStorage.getItem('ostiary-example')) } catch {}

  const form = document.querySelector('form.find')
  const field = form.querySelector('input')
  const list = make('ul', { className: 'results', hidden: true })
  list.setAttribute('aria-label', 'Results')
  form.append(list)
  const links = () => [...list.querySelectorAll('a')]
  const close = () => { list.hidden = true }
  let asked = 0
  let waiting

  async function search() {
    const q = field.value.trim()
    const turn = ++asked
    if (q.length < 2) return close()
    const response = await fetch('/docs/search?' + new URLSearchParams({ q }), { headers: { accept: 'application/json' } })
    if (!response.ok || turn !== asked) return
    const { results } = await response.json()
    if (turn !== asked) return
    const shown = results.slice(0, 8).map(({ title, heading, url, excerpt }) => {
      const parts = title === heading ? [heading] : [heading + ' ', make('span', { textContent: title })]
      return make('li', {}, make('a', { href: url }, ...parts, make('span', { className: 'text', textContent: excerpt })))
    })
    const nothing = make('a', { href: '/docs/not-here' }, 'Nothing found ', make('span', { textContent: 'Not here, and what to do instead' }))
    list.replaceChildren(...(shown.length === 0 ? [make('li', {}, nothing)] : shown))
    list.hidden = false
    status.textContent = results.length === 0 ? 'Nothing found' : results.length + ' found'
  }

  field.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = setTimeout(() => search().catch(close), 120)
  })
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') { close(); field.focus() }
    if (list.hidden || !/^Arrow(Up|Down)$/.test(event.key)) return
    event.preventDefault()
    const stops = [field, ...links()]
    const at = stops.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)
    stops[(at + stops.length) % stops.length].focus()
  })
  form.addEventListener('focusout', ({ relatedTarget }) => { if (!form.contains(relatedTarget)) close() })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target.closest('input, textarea, select, [contenteditable]')) return
    event.preventDefault()
    field.focus()
    field.select()
  })
})()`
