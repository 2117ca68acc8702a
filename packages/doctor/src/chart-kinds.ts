// Names for chart files, which are no Kubernetes objects but appear among them.

/** The apiVersion of chart values (kind `Values`) and of files that install charts (kind `Charts`). */
export const valuesVersion = 'helm'

/** The fields in which a chart, a helmfile, a kustomization and Terraform list the charts that they install. */
export const chartLists = ['dependencies', 'releases', 'helmCharts', 'helm_release'] as const
