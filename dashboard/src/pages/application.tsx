export default function Application() {
  return null
}
