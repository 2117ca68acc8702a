// How an object of a file reaches its cluster, as far as the input shows it.

/** The clusters that an object goes to. */
export type Reach =
  /** The input shows at most one cluster, so the objects of all files are together. */
  | { readonly is: 'only-cluster' }
  /** These clusters of several, by name. A shared base goes to more than one. */
  | { readonly is: 'clusters'; readonly names: readonly string[] }
  /**
   * The input shows several clusters but not those of this object. The object may go to any one of them, or to none, so
   * its facts speak only for the objects of its own folder: one command applies those.
   */
  | { readonly is: 'unknown'; readonly folder: string }

export type Delivery = {
  readonly reach: Reach
  /** The namespace that kustomizations of the input give the object. */
  readonly namespace?: string
  /** The tool that applies the object again when it is gone. */
  readonly repeatedBy?: 'Flux' | 'Argo CD' | 'Terraform'
  /** The workflow that creates the object becomes its owner, so the object goes with the workflow. */
  readonly hasOwner?: true
  /** A helper of a chart may make a hook of the Job. */
  readonly mayBeHook?: true
  /** The file belongs to a sample, a tutorial or a test. */
  readonly isSample?: true
}

/** Returns the names of the places at which an object meets others. Two objects may be in one cluster only if they share a name. */
export function placesOf(reach: Reach | undefined): readonly string[] {
  if (reach === undefined || reach.is === 'only-cluster') return ['']
  return reach.is === 'clusters' ? reach.names.map((name) => `cluster ${name}`) : [`folder ${reach.folder}`]
}
