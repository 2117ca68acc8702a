// The real cluster on which tests run. KUBECONFIG names it.

/** Undefined if there is no cluster. */
export const kubeconfig = process.env['KUBECONFIG'] || undefined

export const whyNone = process.env['DAYFLY_NO_CLUSTER'] ?? 'KUBECONFIG is not set'
