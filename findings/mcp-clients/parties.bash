# For the programs about clients of MCP: the parties of parties.mjs, which end with the program. `here` is this folder, `folder` an empty one.
trap 'for job in $(jobs -p); do kill "$job" || true; done; rm -rf "$folder"' EXIT
cd "$folder"

start() { # a name; sets `address`, and writes the requests to the file with this name
  node "$here/parties.mjs" >"$1" &
  until [ -s "$1" ]; do sleep 0.1; done
  address=$(head -1 "$1")
}

requests() { # the name; prints its requests
  tail -n +2 "$1"
}
