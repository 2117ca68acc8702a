// The commands of a step that needs a real Docker Engine: it builds an image and runs containers of it. Only a static busybox is in the image.

/**
 * The step fails with an engine that only answers. The last container still runs when the step ends.
 * @param folder the runner and the engine share it at this path
 */
export const dockerStep = (folder: string): readonly string[] => [
  `cd "$(mktemp -d -p ${folder})"`,
  // An engine in an ordinary container starts beside the runner.
  'until docker info >/dev/null 2>&1; do sleep 1; done',
  'mkdir image && cp /bin/busybox image/',
  `printf '%s\\n' 'FROM scratch' 'COPY busybox /bin/busybox' 'RUN ["/bin/busybox", "touch", "/built"]' 'ENTRYPOINT ["/bin/busybox"]' >image/Dockerfile`,
  'docker build --tag step image',
  'test "$(docker run --rm step ls /built)" = /built',
  // The engine mounts a folder of the runner, so both see it at one path.
  'echo from the runner >given',
  'docker run --rm --volume "$PWD:/data" step cp /data/given /data/returned',
  'test "$(cat returned)" = "from the runner"',
  'code=0; docker run --rm step sh -c "exit 7" || code=$?; test $code -eq 7',
  'docker run --detach --init step sleep 3600',
]
