// pure
/** Aligns two texts, so that two typos in one path become two marks instead of one long one. */

interface AlignedPart {
  one: string
  other: string
  differs: boolean
}

/**
 * Aligns along the longest common subsequence. The time is proportional to the product of the lengths, so long texts become one
 * step. One or two equal characters between differences match by chance and are treated as different.
 */
export function align(one: string, other: string): AlignedPart[] {
  const ours = [...one]
  const theirs = [...other]
  if (ours.length * theirs.length > 10_000) return [{ one, other, differs: true }]
  const common = commonLengths(ours, theirs)
  const steps: AlignedPart[] = []
  for (let i = 0, j = 0; i < ours.length || j < theirs.length; ) {
    const same = i < ours.length && ours[i] === theirs[j]
    const takes_one = same || j === theirs.length || (i < ours.length && common(i + 1, j) >= common(i, j + 1))
    const takes_other = same || !takes_one
    append(steps, { one: takes_one ? (ours[i++] ?? '') : '', other: takes_other ? (theirs[j++] ?? '') : '', differs: !same })
  }
  const tidy: AlignedPart[] = []
  for (const step of steps) append(tidy, { ...step, differs: step.differs || [...step.one].length < 3 })
  return tidy
}

/** The length of the longest common subsequence of two texts from index `i` and `j` on. */
function commonLengths(one: string[], other: string[]): (i: number, j: number) => number {
  const width = other.length + 1
  // One byte each: texts whose product is at most 10,000 share at most 100 characters.
  const lengths = new Uint8Array((one.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      lengths[i * width + j] = one[i] === other[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  return at
}

function append(steps: AlignedPart[], step: AlignedPart): void {
  const last = steps.at(-1)
  if (last?.differs !== step.differs) steps.push({ ...step })
  else Object.assign(last, { one: last.one + step.one, other: last.other + step.other })
}
