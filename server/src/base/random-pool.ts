// pure
/** Random bytes in small amounts. A system call for each amount takes longer than everything else about it. */

const drawn_at_once = 4_096

/** Returns a function like `draw` that draws 4 KiB at a time. It gives each byte once and erases its copy. */
export function createRandomPool(draw: (bytes: number) => Buffer): (bytes: number) => Buffer {
  let pool: Buffer = Buffer.alloc(0)
  let used = 0
  return (bytes) => {
    if (bytes > drawn_at_once) return draw(bytes)
    if (used + bytes > pool.length) {
      pool = draw(drawn_at_once)
      used = 0
    }
    const taken = Buffer.from(pool.subarray(used, used + bytes))
    pool.fill(0, used, used + bytes)
    used += bytes
    return taken
  }
}
