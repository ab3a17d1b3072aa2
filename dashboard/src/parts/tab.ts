/** The tab of the browser: its title, which begins with the type of the environment, and the icon of that type. */
import { useEffect } from 'react'

export function useTab(title: string, type: 'test' | 'live' | undefined) {
  useEffect(() => {
    document.title = `${type ? `[${type === 'test' ? 'Test' : 'Live'}] ` : ''}${title}`
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
    if (icon) icon.href = `/dashboard/favicon${type ? `-${type}` : ''}.svg`
  }, [title, type])
}
