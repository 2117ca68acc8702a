// The error of a kubeconfig or a pod's ServiceAccount that cannot be used. It says what is wrong, where, and what to do.

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
  /** The field in the file, for example `users[name=me].user.token`. Empty means the whole file. */
  readonly at: string
  /** A sentence that says what to do next. */
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
