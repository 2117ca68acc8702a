// The API group of the RunnerSet, Dayfly's only custom resource.

export const apiGroup = 'dayfly.dev'
export const apiVersion = 'v1alpha1'

/** The label of a controller's Lease: the one namespace that it serves, or an empty text for all. */
export const watchesLabel = `${apiGroup}/watches`

/** The label of a controller's pods, with the name of the controller. The chart sets it. */
export const controllerLabel = `${apiGroup}/controller`

/** The `apiVersion` of a RunnerSet object. */
export const runnerSetApiVersion = `${apiGroup}/${apiVersion}`
