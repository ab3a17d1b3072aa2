/** The names of time zones. */

/** Whether `Intl` knows the zone by a name. It also knows offsets such as `+01:00`, which name no zone: they have no summer time. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false // RangeError: the only way to ask
  }
}
