// Finds the charts around a path: `chart/templates/job.yaml`, given alone, gets its Kubernetes version from `chart/Chart.yaml`.
import path from 'node:path'

/** Returns the possible paths of Chart.yaml, outermost first: beside each folder `templates` or `charts` in the path, and beside a file. */
export function chartsAround(given: string, isFolder: boolean): readonly string[] {
  const steps = given.split(path.sep)
  return steps.flatMap((step, index) => {
    if (step !== 'templates' && step !== 'charts' && (isFolder || index < steps.length - 1)) return []
    return [path.join(steps.slice(0, index).join(path.sep) || path.sep, 'Chart.yaml')]
  })
}
