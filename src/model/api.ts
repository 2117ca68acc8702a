// The API group of the RunnerSet, Dayfly's only custom resource.

export const apiGroup = 'dayfly.dev'
export const apiVersion = 'v1alpha1'

/** The `apiVersion` of a RunnerSet object. */
export const runnerSetApiVersion = `${apiGroup}/${apiVersion}`
