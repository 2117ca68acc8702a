/** The need of a forge for runners: a state, never a count of messages. */
export type Demand =
  /** GitHub: jobs assigned to the set, waiting or running. */
  | { readonly kind: 'assigned'; readonly jobs: number }
  /** Gitea, Forgejo: jobs that wait. */
  | { readonly kind: 'queued'; readonly jobs: number }
  /** Bitbucket: there is no queue to see. */
  | { readonly kind: 'utilisation'; readonly busy: number; readonly idle: number }
