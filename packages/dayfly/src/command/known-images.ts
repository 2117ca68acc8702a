// The images for which this installation has a program. A machine without a container engine runs the program instead.
import { dirname, join } from 'node:path'
import { runnerProgram } from '@dayfly/forge-emulators/command/input'

/** The names that `npm run image` gives to its images. */
const controllerImage = 'localhost/dayfly'
const smallRunnerImage = 'localhost/dayfly-runner'
/** The images of the default templates, and their start scripts. */
const runnerImages = {
  'ghcr.io/actions/actions-runner': '/home/runner/run.sh',
  'docker-public.packages.atlassian.com/sox/atlassian/bitbucket-pipelines-runner': '/run.sh',
  'docker.io/gitea/act_runner': '/usr/local/bin/run.sh',
  // The short name of the same image.
  'gitea/act_runner': '/usr/local/bin/run.sh',
}

/** Returns the images of runners, by name without a tag. The small runner replaces them. */
export function runnerImagesOf(runner: string) {
  const program = [process.execPath, runner]
  return Object.fromEntries(
    Object.entries(runnerImages).map(([image, entrypoint]) => [image, { entrypoint, program }] as const),
  )
}

/** Returns the images of runners and of the controller. Throws a `CliFailure` if the programs are not built. */
export function knownImages() {
  const runner = runnerProgram()
  const controller = join(dirname(runner), 'dayfly.js')
  return {
    ...runnerImagesOf(runner),
    [smallRunnerImage]: { entrypoint: '/home/runner/run.sh', program: [process.execPath, runner] },
    [controllerImage]: { entrypoint: '/app/dayfly', program: [process.execPath, controller] },
  }
}
