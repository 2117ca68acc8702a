// The charts to which a path belongs though they were not asked for: `chart/templates/job.yaml` given alone has its Kubernetes version from `chart/Chart.yaml`.
import path from 'node:path'

/** Where their Chart.yaml would stand, outermost first: of those in whose `templates` or `charts` the path is, and of the folder of a file. */
export function chartsAround(given: string, isFolder: boolean): readonly string[] {
  const steps = given.split(path.sep)
  return steps.flatMap((step, index) => {
    if (step !== 'templates' && step !== 'charts' && (isFolder || index < steps.length - 1)) return []
    return [path.join(steps.slice(0, index).join(path.sep) || path.sep, 'Chart.yaml')]
  })
}
