// The lives that are played. Each state lasts for at least two seconds, because a kubelet looks at its containers once a second.
import { forever, image, type Life, life, obedient, remove, runsFor, shell } from './life.fixture.ts'
import { waitingLives } from './waiting-lives.fixture.ts'

const run = (command: string) => ({ exec: { command: ['/bin/sh', '-c', command] } })
/** A probe every second. It has time enough on a busy machine. */
const probe = (action: object, more: object = {}) => ({ ...action, periodSeconds: 1, timeoutSeconds: 20, ...more })
/** A container whose first two runs end, and whose third run stays. */
const thrice = (name: string, exitCode: number) =>
  shell(
    name,
    `f="$DAYFLY_ROOT/state/runs"; echo run >>"$f"; [ "$(wc -l <"$f")" -gt 2 ] && sleep 600; ${runsFor(2, exitCode)}`,
    { volumeMounts: [{ name: 'state', mountPath: '/state' }] },
  )
const state = [{ name: 'state', emptyDir: {} }]
const sidecar = (name: string, script: string, more: object = {}) =>
  shell(name, script, { restartPolicy: 'Always', ...more })

const ends: readonly Life[] = [
  life('success', { containers: [shell('main', runsFor(2))] }),
  life('exit-3', { containers: [shell('main', runsFor(2, 3))] }),
  life('two-containers', { containers: [shell('b', runsFor(2)), shell('a', runsFor(5, 1))] }),
  life('restarted', { restartPolicy: 'Always', volumes: state, containers: [thrice('main', 0)] }, [
    remove(/running.*#2/, 2000),
  ]),
  life('restarted-on-failure', {
    restartPolicy: 'OnFailure',
    volumes: state,
    containers: [
      shell('main', 'sleep 2; test -e "$DAYFLY_ROOT/state/x" && exit 0; : >"$DAYFLY_ROOT/state/x"; exit 5', {
        volumeMounts: [{ name: 'state', mountPath: '/state' }],
      }),
    ],
  }),
  life('helper-stays', { containers: [shell('main', runsFor(2)), shell('helper', forever)] }, [
    remove(/main=Completed/, 2500),
  ]),
  life('deadline', { activeDeadlineSeconds: 6, containers: [shell('main', forever)] }),
  life('command-missing', { containers: [{ name: 'main', image, command: ['/absent/program'] }] }),
  life('command-missing-in-path', { containers: [{ name: 'main', image, command: ['absent-program'] }] }),
]

const inits: readonly Life[] = [
  life('init', { initContainers: [shell('prepare', runsFor(2))], containers: [shell('main', runsFor(2))] }),
  life('init-fails', { initContainers: [shell('prepare', runsFor(2, 7))], containers: [shell('main', runsFor(2))] }),
  life(
    'init-fails-on-failure',
    {
      restartPolicy: 'OnFailure',
      volumes: state,
      initContainers: [thrice('prepare', 7)],
      containers: [shell('main', runsFor(2))],
    },
    [remove(/running.*#2/, 2000)],
  ),
  life(
    'init-fails-always',
    {
      restartPolicy: 'Always',
      volumes: state,
      initContainers: [thrice('prepare', 7)],
      containers: [shell('main', runsFor(2))],
    },
    [remove(/running.*#2/, 2000)],
  ),
  life('init-hangs', { initContainers: [shell('prepare', forever)], containers: [shell('main', runsFor(2))] }, [
    remove(/prepare=running/, 2000),
  ]),
]

const sidecars: readonly Life[] = [
  life('sidecar', { initContainers: [sidecar('proxy', obedient)], containers: [shell('main', runsFor(2))] }),
  life('sidecar-ignores-term', {
    initContainers: [sidecar('proxy', forever)],
    containers: [shell('main', runsFor(2, 3))],
  }),
  life(
    'sidecar-never-started',
    {
      initContainers: [sidecar('proxy', obedient, { startupProbe: probe(run('exit 1'), { failureThreshold: 600 }) })],
      containers: [shell('main', runsFor(2))],
    },
    [remove(/proxy=running/, 3000)],
  ),
  life(
    'sidecar-startup-fails',
    {
      initContainers: [sidecar('proxy', obedient, { startupProbe: probe(run('exit 1'), { failureThreshold: 3 }) })],
      containers: [shell('main', runsFor(2))],
    },
    [remove(/proxy=running#1/, 1000)],
  ),
  life(
    'sidecar-liveness-fails',
    {
      initContainers: [
        sidecar('proxy', obedient, {
          livenessProbe: probe(run('exit 1'), { initialDelaySeconds: 2, failureThreshold: 1 }),
        }),
      ],
      containers: [shell('main', obedient)],
    },
    [remove(/proxy=running,started,ready#1/, 1500)],
  ),
  life('sidecar-started', {
    initContainers: [sidecar('proxy', obedient, { startupProbe: probe(run('exit 0'), { initialDelaySeconds: 2 }) })],
    containers: [shell('main', runsFor(2))],
  }),
]

const probes: readonly Life[] = [
  life('startup-fails', {
    containers: [shell('main', obedient, { startupProbe: probe(run('echo no; exit 1'), { failureThreshold: 3 }) })],
  }),
  life(
    'liveness-fails-for-good',
    {
      containers: [
        shell('main', obedient, { livenessProbe: probe(run('echo no; exit 1'), { failureThreshold: 3 }) }),
        shell('helper', obedient),
      ],
    },
    [remove(/main=Completed.*helper=running/, 2000)],
  ),
  life(
    'startup-fails-always',
    {
      restartPolicy: 'Always',
      containers: [shell('main', obedient, { startupProbe: probe(run('echo no; exit 1'), { failureThreshold: 3 }) })],
    },
    [remove(/#1/, 500)],
  ),
  life(
    'liveness-fails',
    {
      restartPolicy: 'Always',
      containers: [shell('main', forever, { livenessProbe: probe(run('echo no; exit 1'), { failureThreshold: 3 }) })],
    },
    [remove(/#1/, 500)],
  ),
  life(
    'readiness',
    { containers: [shell('main', obedient, { readinessProbe: probe(run('exit 0'), { initialDelaySeconds: 2 }) })] },
    [remove(/ready/, 2000)],
  ),
  life(
    'unready',
    {
      containers: [shell('main', obedient, { readinessProbe: probe({ httpGet: { port: 9, path: '/x' } }) })],
    },
    [remove(/running/, 3000)],
  ),
  life(
    'unready-tcp',
    { containers: [shell('main', obedient, { readinessProbe: probe({ tcpSocket: { port: 9 } }) })] },
    [remove(/running/, 3000)],
  ),
  life(
    'readiness-gate',
    { readinessGates: [{ conditionType: 'example.com/open' }], containers: [shell('main', obedient)] },
    [{ when: /running/, waitMs: 2000, do: { gate: 'example.com/open' } }, remove(/running/, 2000)],
  ),
]

const hooks: readonly Life[] = [
  // The hook fails only after the container's shell has had time to set its trap.
  life('post-start-fails', {
    containers: [shell('main', obedient, { lifecycle: { postStart: run('sleep 1; echo no; exit 7') } })],
  }),
  life(
    'post-start-hangs',
    {
      containers: [shell('main', obedient, { lifecycle: { postStart: run('sleep 6') } }), shell('second', forever)],
    },
    [remove(/^Pending/, 3000)],
  ),
  life(
    'pre-stop-fails',
    { containers: [shell('main', obedient, { lifecycle: { preStop: run('echo no; exit 4') } })] },
    [remove(/running/, 2000)],
  ),
  life('pre-stop-hangs', { containers: [shell('main', obedient, { lifecycle: { preStop: run('sleep 60') } })] }, [
    remove(/running/, 2000),
  ]),
]

const deletions: readonly Life[] = [
  life('killed', { containers: [shell('main', forever)] }, [remove(/running/, 2000)]),
  life('killed-first-process', { containers: [{ name: 'main', image, command: ['sleep', '60'] }] }, [
    remove(/running/, 2000),
  ]),
  life('stopped', { terminationGracePeriodSeconds: 30, containers: [shell('main', obedient)] }, [
    remove(/running/, 2000, 5),
  ]),
  life('unschedulable', { nodeSelector: { absent: 'yes' }, containers: [shell('main', forever)] }, [
    remove(/^Pending/, 2000),
  ]),
]

const messages: readonly Life[] = [
  life('message-path', {
    containers: [
      shell('main', 'sleep 2; echo because >"$DAYFLY_ROOT/tmp/reason"; exit 1', {
        terminationMessagePath: '/tmp/reason',
      }),
    ],
  }),
  life('message-default', {
    containers: [shell('main', 'sleep 2; echo fine >"$DAYFLY_ROOT/dev/termination-log"')],
  }),
  life('message-from-log', {
    // containerd copies the two streams on their own, so lines that are written at once may change places in the log.
    containers: [
      shell('main', 'sleep 2; echo one; sleep 1; echo two >&2; exit 1', {
        terminationMessagePolicy: 'FallbackToLogsOnError',
      }),
    ],
  }),
  life('no-message-from-log', {
    containers: [shell('main', 'sleep 2; echo one', { terminationMessagePolicy: 'FallbackToLogsOnError' })],
  }),
]

/** The embedded cluster cannot show these: it limits no memory, and its API has no evictions. */
export const nodeOnly: readonly Life[] = [
  life('evicted', { containers: [shell('main', obedient)] }, [{ when: /running/, waitMs: 2000, do: 'evict' }]),
  life('out-of-memory', {
    containers: [
      shell('main', 'sleep 2; head -c 100m /dev/zero | tail', { resources: { limits: { memory: '20Mi' } } }),
    ],
  }),
]

export const lives: readonly Life[] = [
  ...ends,
  ...inits,
  ...sidecars,
  ...probes,
  ...hooks,
  ...deletions,
  ...waitingLives,
  ...messages,
]
