// The parts of a runner's pod that let it make a pod for each job with a container, by the hooks of GitHub's runner image
// (https://github.com/actions/runner-container-hooks/tree/main/packages/k8s).
import { runnerContainer } from '../model/runner-names.ts'
import type { JobPods } from '../model/runner-set.ts'
import { mergeTemplate } from './merge.ts'
import { namedIn } from './runner-externals.ts'

type Plain = Readonly<Record<string, unknown>>

/** The hooks find the claim by the name of the pod and this name. */
const workVolume = 'work'
const workFolder = '/home/runner/_work'
const templateVolume = 'dayfly-job-template'
const templateFolder = '/run/dayfly-job-template'
/** The group of the runner image's user. A claim belongs to root, unless the pod names a group. */
const runnerGroup = 1001
const imageVariable = 'ACTIONS_RUNNER_IMAGE'

/** Returns the parts that `jobs: pods` adds to a runner's pod. */
export function jobPodsSpec({ serviceAccount, work, template }: JobPods): Plain {
  const container = {
    name: runnerContainer,
    env: [
      // The image has two programs: one shares a claim with the pod of the job, the other copies the files.
      { name: 'ACTIONS_RUNNER_CONTAINER_HOOKS', value: `/home/runner/${work ? 'k8s' : 'k8s-novolume'}/index.js` },
      { name: 'ACTIONS_RUNNER_POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'ACTIONS_RUNNER_REQUIRE_JOB_CONTAINER', value: 'true' },
      ...(template
        ? [{ name: 'ACTIONS_RUNNER_CONTAINER_HOOK_TEMPLATE', value: `${templateFolder}/${template.key}` }]
        : []),
    ],
    volumeMounts: [
      ...(work ? [{ name: workVolume, mountPath: workFolder }] : []),
      ...(template ? [{ name: templateVolume, mountPath: templateFolder, readOnly: true }] : []),
    ],
  }
  return {
    serviceAccountName: serviceAccount,
    automountServiceAccountToken: true,
    containers: [container],
    volumes: [
      ...(work ? [{ name: workVolume, ephemeral: { volumeClaimTemplate: { spec: claimOf(work) } } }] : []),
      ...(template ? [{ name: templateVolume, configMap: { name: template.configMap } }] : []),
    ],
    ...(work ? { securityContext: { fsGroup: runnerGroup } } : {}),
  }
}

function claimOf({ size, storageClass, accessMode }: NonNullable<JobPods['work']>): Plain {
  return {
    accessModes: [accessMode],
    ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
    resources: { requests: { storage: size } },
  }
}

/** Names the runner's own image to the hooks: the pod of a job copies Node.js from it. A template may have chosen the image, or name another one. */
export function withImageForHooks(spec: Plain): Plain {
  const image = namedIn(spec, 'containers', runnerContainer)?.['image']
  return mergeTemplate({ containers: [{ name: runnerContainer, env: [{ name: imageVariable, value: image }] }] }, spec)
}
