// GitHub Actions.
import type { ForgeTraits } from './traits.ts'

/** The credential is a file and no environment variable: a Secret that is late costs a variable 13 s (docs/reference/experiments.md#e1). */
const credentialFolder = '/run/dayfly'

/** `$DAYFLY_ROOT` is empty in a real container, and the container's folder in the embedded cluster. One start command serves both. */
const command = [
  '/bin/sh',
  '-c',
  `ACTIONS_RUNNER_INPUT_JITCONFIG="$(cat "\${DAYFLY_ROOT:-}${credentialFolder}/credential")" exec "\${DAYFLY_ROOT:-}/home/runner/run.sh"`,
]

export const github = {
  demand: 'assigned',
  announcesCapacity: true,
  removal: 'refuses-busy',
  ephemeral: 'by-itself',
  pickUpDelayMs: 0,
  records: 'by-id',
  jobLog: undefined,
  runPages: 'origin',
  runnersMax: undefined,
  secretOptions: '--from-file=github_token=FILE',
  runner: {
    image: 'ghcr.io/actions/actions-runner:latest',
    command,
    env: [{ name: 'ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE', value: '1' }],
    credential: { is: 'file', folder: credentialFolder },
    workFolderVariable: undefined,
    readsEngineFiles: false,
    // https://github.com/actions/runner/blob/main/src/Runner.Worker/ContainerOperationProvider.cs mounts it at /__e.
    externalsFolder: '/home/runner/externals',
    exitsUnregistered: true,
    outdatedExitCode: 7,
    versionsEnd: true,
  },
} as const satisfies ForgeTraits
