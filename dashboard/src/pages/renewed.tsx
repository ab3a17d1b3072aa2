/** Where the window of a repeated sign-in ends: it reports to the page that opened it, and closes. */
import { useEffect } from 'react'
import { Alone } from '../frame/start.tsx'
import { CHANNEL } from '../renewal.tsx'

export default function Renewed() {
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL)
    channel.postMessage('renewed')
    channel.close()
    window.close()
  }, [])
  return (
    <Alone>
      <h1>You are signed in</h1>
      <p className="muted">Close this window and go back to the other one.</p>
    </Alone>
  )
}
