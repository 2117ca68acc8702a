// Finds the pod templates of custom resources that the doctor does not know, such as a JobSet or a job of Volcano.
import { isJsonObject, type JsonObject, listAt, type Path, textAt } from '@dayfly/kit/read-json'

const depthMax = 12
const templatesMax = 50

/** The groups whose controllers end helpers, and those that other parts of the doctor name as unread. */
const otherGroups: ReadonlySet<string> = new Set(['argoproj.io', 'tekton.dev', 'actions.summerwind.dev'])

/**
 * Returns the paths of the templates whose pods are meant to end: restartPolicy Never or OnFailure.
 * The life of any other pod depends on its controller, so a rule could only guess.
 */
export function customTemplates(group: string, raw: JsonObject): readonly Path[] {
  if (!group.includes('.') || /(^|\.)k8s\.io$/.test(group) || otherGroups.has(group)) return []
  const found: Path[] = []
  search(raw['spec'], ['spec'], found)
  return found
}

function search(value: unknown, path: Path, found: Path[]): void {
  if (path.length > depthMax || found.length >= templatesMax) return
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) search(each, [...path, index], found)
  } else if (isJsonObject(value)) {
    const key = path.at(-1)
    if (typeof key === 'string' && /template$/i.test(key) && isTemplate(value)) found.push(path)
    else for (const [name, each] of Object.entries(value)) search(each, [...path, name], found)
  }
}

function isTemplate(value: JsonObject): boolean {
  const policy = textAt(value, 'spec', 'restartPolicy')
  const containers = listAt(value, 'spec', 'containers')
  return (
    (policy === 'Never' || policy === 'OnFailure') && containers.some((each) => textAt(each, 'image') !== undefined)
  )
}
