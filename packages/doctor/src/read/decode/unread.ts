// Records kinds that run CI jobs in pods which no rule reads. Otherwise a report without findings would look like approval.
import { textAt } from '@dayfly/kit/read-json'
import { type LineIndex, placeOf } from '../yaml/place.ts'
import type { Skipped, SourceFile, SourceObject } from './document.ts'

type Family = { readonly kinds: readonly string[]; readonly reason: (kind: string) => string }

const families: Readonly<Record<string, Family>> = {
  'argoproj.io': {
    kinds: ['Workflow', 'WorkflowTemplate', 'ClusterWorkflowTemplate', 'CronWorkflow'],
    reason: (kind) => `a ${kind} of Argo Workflows: its controller ends the sidecars, and no rule reads its pods`,
  },
  'tekton.dev': {
    kinds: ['Task', 'TaskRun', 'ClusterTask', 'Pipeline', 'PipelineRun'],
    reason: (kind) => `a ${kind} of Tekton: its controller ends the sidecars, and no rule reads its pods`,
  },
  'actions.summerwind.dev': {
    kinds: ['HorizontalRunnerAutoscaler'],
    reason: (kind) => `a ${kind} of the older ARC (actions.summerwind.dev): it has no pods, and no rule reads it`,
  },
  extensions: {
    kinds: ['Deployment', 'DaemonSet', 'ReplicaSet'],
    reason: (kind) => `a ${kind} of extensions/v1beta1, which Kubernetes 1.16 removed: no rule reads it`,
  },
}

/** Nearly all objects are of other kinds, so this is asked first. */
const familyKinds: ReadonlySet<string> = new Set(Object.values(families).flatMap(({ kinds }) => kinds))

/** Groups whose kinds of runners are read. */
const readGroups: ReadonlySet<string> = new Set(['actions.github.com', 'actions.summerwind.dev', 'dayfly.dev'])

/** Reports the line of the object's kind. */
export function unreadObjects(
  objects: readonly SourceObject[],
  linesOf: (file: SourceFile) => LineIndex,
): readonly Skipped[] {
  return objects.flatMap((object) => {
    const left = whyUnread(object)
    const reason = left ?? unknownRunner(object)
    if (reason === undefined) return []
    const { file } = object.document
    const { line } = placeOf(object, ['kind'], linesOf(file))
    return [{ file: file.path, line, reason, ...(left === undefined ? {} : { intended: true }) }]
  })
}

function whyUnread({ value }: SourceObject): string | undefined {
  const kind = textAt(value, 'kind') ?? ''
  if (!familyKinds.has(kind)) return undefined
  const group = textAt(value, 'apiVersion')?.split('/', 1)[0] ?? ''
  const family = Object.hasOwn(families, group) ? families[group] : undefined
  return family?.kinds.includes(kind) ? family.reason(kind) : undefined
}

/** A custom resource that is named like a runner probably makes pods. Findings may be missing there. */
function unknownRunner({ value }: SourceObject): string | undefined {
  const kind = textAt(value, 'kind') ?? ''
  if (!/Runner|AgentPool|BuildAgent/.test(kind)) return undefined
  const [group = '', version] = textAt(value, 'apiVersion')?.split('/') ?? []
  const isCustom = version !== undefined && group.includes('.') && !group.endsWith('.k8s.io') && !readGroups.has(group)
  if (!isCustom) return undefined
  return `a ${kind} of ${group}: it may run jobs in pods, and the doctor does not know its fields`
}
