// Recognizes containers that start their work only after Docker answers.
import type { ContainerView } from '../../pod-view.ts'

/** Returns whether an ordinary container, such as the runner, waits for Docker itself. */
export function waitsForDocker(container: ContainerView): boolean {
  if (container.role !== 'container') return false
  return 'RUNNER_WAIT_FOR_DOCKER_IN_SECONDS' in container.env || loopsOnDocker(container)
}

/** Matches `until docker info` and `for i in 1 2 3; do docker info`. */
export function loopsOnDocker({ words }: ContainerView): boolean {
  const dockerCheck = /docker (info|ps|version)|\/var\/run\/docker\.sock|dockerize|wait-for/
  return words.some((word) => /\b(until|while|wait|for\s+\w+\s+in\b)/.test(word) && dockerCheck.test(word))
}
