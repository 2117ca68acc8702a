// Gitea Actions, and Forgejo Actions, which has the same runner protocol.
import type { ForgeTraits } from './traits.ts'

const folder = '/run/dayfly'

/** The keys of the runner's Secret: the file with which the official runner skips its registration, and its configuration (docs/reference/gitea.md#s5-2). */
export const giteaFiles = { state: 'runner', configuration: 'config.yaml' } as const

export const gitea = {
  demand: 'queued',
  announcesCapacity: false,
  removal: 'refuses-busy',
  ephemeral: 'by-itself',
  // A FetchTask that began before the cordon may still win (docs/reference/gitea.md#s8).
  pickUpDelayMs: 5_000,
  records: 'by-name',
  jobLog: undefined,
  runPages: 'server',
  runnersMax: undefined,
  secretOptions: '--from-file=gitea_token=FILE',
  runner: {
    image: 'docker.io/gitea/act_runner:latest',
    // Its start script finds both files by these variables (docs/reference/gitea.md#s5-3).
    command: undefined,
    env: [
      { name: 'RUNNER_STATE_FILE', value: `${folder}/${giteaFiles.state}` },
      { name: 'CONFIG_FILE', value: `${folder}/${giteaFiles.configuration}` },
    ],
    credential: { is: 'file', folder },
    workFolderVariable: undefined,
    readsEngineFiles: false,
    externalsFolder: undefined,
    exitsUnregistered: false,
    outdatedExitCode: undefined,
    versionsEnd: false,
  },
} as const satisfies ForgeTraits
