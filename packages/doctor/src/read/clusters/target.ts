// A part of the input that a delivery tool applies.

/** The cluster that the tool applies a target to. */
export type Destination =
  /** The cluster of the object that orders the delivery. */
  { readonly is: 'same' } | { readonly is: 'named'; readonly name: string } | { readonly is: 'unknown' }

/** A folder is read by its kustomization, if it has one. */
export type Target =
  | { readonly is: 'file'; readonly path: string }
  /** All files below a folder, as Flux reads them. */
  | { readonly is: 'tree'; readonly path: string }
  /** The files of a folder, and all files of a chart, as Argo CD reads them. */
  | { readonly is: 'folder'; readonly path: string }
  /** The kustomization of a folder. */
  | { readonly is: 'kustomization'; readonly path: string }
  /** A folder of Terraform, with the modules that it calls. */
  | { readonly is: 'module'; readonly path: string }

export type Order = {
  readonly tool: 'Flux' | 'Argo CD'
  /** The file and the number of the object that orders the delivery. */
  readonly file: string
  readonly object: number
  readonly destination: Destination
  /** Empty: the source is not in the input, for example a chart. */
  readonly targets: readonly Target[]
}
