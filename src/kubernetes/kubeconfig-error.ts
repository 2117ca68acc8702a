// A kubeconfig, or a pod's ServiceAccount, that cannot be used: what is wrong, where in which file, and what to do.

export type KubeconfigErrorCode =
  | 'kubeconfig-missing'
  | 'kubeconfig-unreadable'
  | 'kubeconfig-invalid'
  | 'kubeconfig-unsupported'
  | 'kubeconfig-credential'
  | 'service-account-unusable'

export class KubeconfigError extends Error {
  readonly code: KubeconfigErrorCode
  readonly file: string
  /** The place in the file, like `users[name=me].user.token`; empty: the file as a whole. */
  readonly at: string
  /** What to do about it, in a sentence. */
  readonly next: string

  constructor(code: KubeconfigErrorCode, file: string, problem: { at: string; sentence: string; next: string }) {
    super(`${file}${problem.at ? `: ${problem.at}` : ''}: ${problem.sentence}`)
    this.name = 'KubeconfigError'
    this.code = code
    this.file = file
    this.at = problem.at
    this.next = problem.next
  }
}
