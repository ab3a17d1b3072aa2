/** Filters, the tab and the chosen row are in the query of the address, so every view can be shared. */
import { useLocation, useNavigate } from '@tanstack/react-router'

export type Search = Record<string, string | undefined>

export function useQueryState() {
  const location = useLocation()
  const navigate = useNavigate()
  const search: Search = location.search
  const show = (change: Search) => void navigate({ to: location.pathname, search: { ...search, ...change }, replace: true })
  return { search, show }
}
