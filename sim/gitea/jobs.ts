// The names of jobs and runners at Gitea.

/** The path of one runner. */
export const giteaRunner = /\/actions\/runners\/(\d+)$/

/** The jobs of all sets are in this repository. */
export const giteaRepository = 'acme/app'

/** The names of runners of other clients begin with this. */
export const foreignRunner = 'other-'

/** Returns the name of a job among those of all forges: the ids of Gitea are numbers, as are those of GitHub. */
export function keyOf(id: string): string {
  return `gitea ${id}`
}

/** Returns the id of the job; undefined for a job of another forge. */
export function idOf(key: string): string | undefined {
  return /^gitea (\d+)$/.exec(key)?.[1]
}
