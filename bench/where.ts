/** Names the place in which a sample of a profile was taken. */

interface Frame {
  readonly symbol: string
  /** The file of the code: a library, `[kernel.kallsyms]`, or the file with which Node names its compiled functions. */
  readonly object: string
}

export const count = (places: Map<string, number>, place: string, amount: number) => places.set(place, (places.get(place) ?? 0) + amount)

/**
 * The samples at each place, in what `perf script` prints. A sample is the name of its thread and the frames below, the innermost first,
 * each as `address symbol (file)`; then an empty line.
 */
export function placesInScript(text: string): Map<string, number> {
  const places = new Map<string, number>()
  for (const sample of text.split('\n\n')) {
    const [thread = '', ...lines] = sample.trim().split('\n')
    const frames = lines.flatMap((line) => {
      const [, symbol = '', object = ''] = /^\s*[0-9a-f]+ (.*) \(([^()]*)\)$/.exec(line) ?? []
      return object === '' ? [] : [{ symbol, object }]
    })
    if (frames.length > 0) count(places, placeOfSymbol(thread.trim(), frames), 1)
  }
  return places
}

/** By the first match, over the frames of the kernel in a sample. */
const in_kernel: readonly (readonly [RegExp, string])[] = [
  [/^(__)?(x64_sys_|sys_)?(tcp|udp|ip|inet|sock|skb|net|dev|loopback|__tcp|__sys_(send|recv)|lo_)/, 'kernel: network'],
  [/(ext4|jbd2|xfs|btrfs|overlay|shmem|filemap|folio|fsync|fdatasync|vfs_|blk_|iomap|generic_perform)/, 'kernel: files'],
  [/(page_fault|do_anonymous|clear_page|madvise|mmap|munmap|mprotect)/, 'kernel: memory'],
  [/(futex|epoll|eventfd|schedule|finish_task|irq|idle|nanosleep)/, 'kernel: threads and waiting'],
]

/** By the first match, over the symbols of the program and its libraries. */
const in_program: readonly (readonly [RegExp, string])[] = [
  [/^Builtins_/, 'V8: builtins'],
  [
    /^v8::internal::(.*(Scaveng|Mark|Sweep|Heap|Evacuat|Space|GC|FreeList|Young|Compact|IteratePointers|Worklist))/,
    'V8: garbage collection',
  ],
  [/^v8::internal::(compiler|maglev|turboshaft|baseline|interpreter|Pars|.*(Compil|Optimiz|Bytecode|Assembler|Liftoff))/, 'V8: compiler'],
  [/^v8::internal::Json/, 'V8: JSON'],
  [/^(v8::|cppgc::|heap::)/, 'V8: the rest'],
  [/^(non-virtual thunk to )?\(?(node::|simdutf|simdjson|ada::|nbytes)/, 'Node in C++'],
  [/^llhttp_/, 'Node in C++'],
  [/^uv_/, 'libuv'],
  [/^(sqlite3|wal|pager|pcache|btree|vdbe|balance_|moveTo)/i, 'SQLite'],
  [
    /(sha\d+_|_sha\d|^sha|SHA\d|hmac|HMAC|EVP|evp_|ossl|OSSL|OPENSSL|CRYPTO|RSA|rsa|BN_|^bn_|ERR_|err_|OBJ_|ASN1|PKCS|DRBG|RAND|AES|aes)/,
    'OpenSSL on the main thread',
  ],
]

/**
 * The place of a sample with these frames, the innermost first. Threads of the pool of libuv sign and sync. On the main thread each
 * function in C of Node's own program that no rule names is one of SQLite: its functions have no common prefix.
 */
function placeOfSymbol(thread: string, frames: readonly Frame[]): string {
  const [innermost] = frames
  if (!innermost) return 'unknown'
  const { symbol, object } = innermost
  if (object.startsWith('[kernel') || object.startsWith('[guest.kernel')) return placeInKernel(frames)
  if (symbol.startsWith('JS:')) return placeOfScript(symbol)
  if (/^(RegExp|LazyCompile|Stub|Handler|BytecodeHandler|Builtin|Script|Eval|Function)\b/.test(symbol)) return 'V8: builtins'
  if (/\blib(c|m|pthread|stdc\+\+)[.-]|\bld-linux|\[vdso\]/.test(object)) return 'C library: memory and locks'
  const named = in_program.find(([form]) => form.test(symbol))?.[1]
  if (/^libuv-worker/.test(thread)) return named === undefined || named.startsWith('OpenSSL') ? 'signing in OpenSSL' : named
  if (symbol === '[unknown]') return 'unknown'
  return named ?? (/^[A-Za-z_]\w*(\.\w+)*$/.test(symbol) ? 'SQLite' : 'Node in C++')
}

function placeInKernel(frames: readonly Frame[]): string {
  const symbols = frames.filter(({ object }) => object.includes('kernel')).map(({ symbol }) => symbol)
  return in_kernel.find(([form]) => symbols.some((symbol) => form.test(symbol)))?.[1] ?? 'kernel: the rest'
}

/** Compiled functions have the name, a space, and the file with line and column. What was inlined into a function counts for it. */
const placeOfScript = (symbol: string): string => placeOfFile(/(?:file:\/\/|node:|\/)\S*$/.exec(symbol)?.[0] ?? '')

function placeOfFile(file: string): string {
  if (file.startsWith('node:')) return "Node's JavaScript"
  const library = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]
  if (library !== undefined) return /^(@?fastify|find-my-way|light-my-request|avvio)/.test(library) ? 'Fastify' : 'other libraries'
  const wing = /\/server\/src\/([\w-]+)(?:\/|\.ts)/.exec(file)?.[1]
  if (wing !== undefined) return `ours: ${wing}`
  return file.includes('/contract/src/') ? 'ours: contract' : 'V8: builtins'
}

/** The place of a frame of Node's own profiler, which sees the main thread alone; `null` while it waits. */
export function placeOfFrame({ functionName, url }: { functionName: string; url: string }): string | null {
  if (functionName === '(idle)') return null
  if (functionName === '(garbage collector)') return 'V8: garbage collection'
  if (functionName.startsWith('(')) return 'main thread: SQLite, C++ and kernel'
  return placeOfFile(url)
}
