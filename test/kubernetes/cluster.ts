// The real cluster on which tests run: the one that KUBECONFIG names.

/** Undefined: there is none. */
export const kubeconfig = process.env['KUBECONFIG'] || undefined

export const whyNone = process.env['DAYFLY_NO_CLUSTER'] ?? 'KUBECONFIG is not set'
