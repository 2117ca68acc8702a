// The charts to which a path belongs though they were not asked for: `chart/templates/job.yaml` given alone has its Kubernetes version from `chart/Chart.yaml`.
import { existsSync } from 'node:fs'
import path from 'node:path'

/** Their Chart.yaml, outermost first: of those in whose `templates` or `charts` the path stands, and of the folder of a file. */
export function chartsAround(given: string, isFolder: boolean): readonly string[] {
  const steps = given.split(path.sep)
  return steps.flatMap((step, index) => {
    if (step !== 'templates' && step !== 'charts' && (isFolder || index < steps.length - 1)) return []
    const file = path.join(steps.slice(0, index).join(path.sep) || path.sep, 'Chart.yaml')
    return existsSync(file) ? [file] : []
  })
}
