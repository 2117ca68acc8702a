// Carries out the steps of a size plan, each with the state of the object as its precondition.
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { runnerSets } from '../resources.ts'
import type { SizeStep } from './plan.ts'

/** Resolves with the object as the API server has it now; undefined if it is deleted. */
export async function applyStep(
  kubernetes: Kubernetes,
  step: SizeStep,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  switch (step.is) {
    case 'create': {
      const { object } = await kubernetes.create(runnerSets, step.document as unknown as KubeObject, { signal })
      return object
    }
    case 'delete': {
      const { namespace = '', name, uid = '', resourceVersion } = step.object.metadata
      const preconditions = { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) }
      await kubernetes.delete(runnerSets, { namespace, name }, { preconditions, signal })
      return undefined
    }
    default: {
      const { namespace = '', name, resourceVersion } = step.object.metadata
      const operations = [
        // Another writer in between makes the API server refuse the patch.
        { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'replace', path: '/spec', value: step.spec },
        ...(step.owners ? [{ op: 'add', path: '/metadata/ownerReferences', value: step.owners }] : []),
      ]
      const { object } = await kubernetes.patch(
        runnerSets,
        { namespace, name },
        { type: 'json', operations },
        { signal },
      )
      return object
    }
  }
}
