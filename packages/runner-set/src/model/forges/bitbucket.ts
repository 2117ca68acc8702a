// Bitbucket Pipelines.
import type { ForgeTraits } from './traits.ts'

export const bitbucket = {
  demand: 'utilisation',
  announcesCapacity: false,
  removal: 'refuses-busy',
  ephemeral: 'by-cordon',
  // A runner asks for a step every 30 s, and 5 s more cover the way there (docs/reference/bitbucket.md#s3-6).
  pickUpDelayMs: 35_000,
  records: 'by-name',
  jobLog: {
    started: /Getting step StepId\{[^\n]*?stepUuid=\{?([0-9a-f-]{36})/,
    ended: /Completing step with result Result\{status=([A-Z_]{1,32})/,
  },
  runPages: undefined,
  // A workspace and a repository hold this many runners each (docs/reference/bitbucket.md#s2-4).
  runnersMax: 100,
  secretOptions: '--from-file=bitbucketAccessToken=FILE',
  runner: {
    image: 'docker-public.packages.atlassian.com/sox/atlassian/bitbucket-pipelines-runner:latest',
    // The image reads its credential from the environment alone, and its start command is not documented (docs/reference/bitbucket.md#s3-2).
    command: undefined,
    env: [{ name: 'RUNTIME_PREREQUISITES_ENABLED', value: 'true' }],
    credential: {
      is: 'environment',
      keys: [
        { name: 'ACCOUNT_UUID' },
        // A runner of a workspace has none.
        { name: 'REPOSITORY_UUID', optional: true },
        { name: 'RUNNER_UUID' },
        { name: 'OAUTH_CLIENT_ID' },
        { name: 'OAUTH_CLIENT_SECRET' },
      ],
    },
    workFolderVariable: 'WORKING_DIRECTORY',
    // docs/reference/bitbucket.md#s3-3
    readsEngineFiles: true,
    externalsFolder: undefined,
    exitsUnregistered: false,
    outdatedExitCode: undefined,
    versionsEnd: false,
  },
} as const satisfies ForgeTraits
