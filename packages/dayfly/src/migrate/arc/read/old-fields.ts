// The fields of ARC's older generation (actions.summerwind.dev), and what becomes of each.
import type { Verdict } from '../values-table.ts'

/** Fields of the runner that are fields of its container. */
export const containerFields: ReadonlySet<string> = new Set([
  'imagePullPolicy',
  'env',
  'envFrom',
  'resources',
  'volumeMounts',
])

/** Fields of the runner that are fields of its pod. */
export const podFields: ReadonlySet<string> = new Set([
  'volumes',
  'enableServiceLinks',
  'nodeSelector',
  'serviceAccountName',
  'automountServiceAccountToken',
  'securityContext',
  'imagePullSecrets',
  'affinity',
  'tolerations',
  'priorityClassName',
  'terminationGracePeriodSeconds',
  'hostAliases',
  'topologySpreadConstraints',
  'runtimeClassName',
  'dnsPolicy',
  'dnsConfig',
  'initContainers',
])

type Fate = { readonly is: Verdict; readonly sentence: string }

const demand = 'Dayfly starts runners for the jobs that wait, and needs neither metrics nor webhooks.'
const inSidecar =
  "Dayfly's sidecar has other settings. Change the container docker of the template (docs/guide/docker.md)."

/** Fields that have no place in a RunnerSet. */
const fates: Readonly<Record<string, Fate>> = {
  image: {
    is: 'decide',
    sentence:
      'The image starts a runner of the older generation. Build yours from ghcr.io/actions/actions-runner, which is used now.',
  },
  ephemeral: { is: 'kept', sentence: 'Each runner of Dayfly runs at most one job.' },
  dockerEnabled: { is: 'changed', sentence: 'spec.docker: sidecar if true, none if false' },
  dockerdWithinRunnerContainer: {
    is: 'changed',
    sentence: 'spec.docker: sidecar. The engine is beside the runner, not in it.',
  },
  dockerMTU: { is: 'decide', sentence: inSidecar },
  dockerRegistryMirror: { is: 'decide', sentence: 'Write it to spec.dockerEngine.mirror.' },
  dockerEnv: { is: 'decide', sentence: inSidecar },
  dockerVolumeMounts: { is: 'decide', sentence: inSidecar },
  dockerVarRunVolumeSizeLimit: { is: 'dropped', sentence: "The socket of Dayfly's engine has a volume of its own." },
  volumeSizeLimit: { is: 'decide', sentence: 'Set it at the volume dayfly-work of the template.' },
  volumeStorageMedium: { is: 'decide', sentence: 'Set it at the volume dayfly-work of the template.' },
  workVolumeClaimTemplate: {
    is: 'decide',
    sentence:
      'Add an ephemeral volume to the template. With docker: sidecar its name is dayfly-work; else mount it at /home/runner/_work.',
  },
  workDir: { is: 'dropped', sentence: 'The runner works in /home/runner/_work.' },
  containers: { is: 'decide', sentence: 'Only the fields of the container runner are kept.' },
  ephemeralContainers: { is: 'dropped', sentence: 'A template cannot have them.' },
  githubAPICredentialsFrom: { is: 'kept', sentence: 'spec.github.credentials.secret' },
  selector: { is: 'dropped', sentence: 'Dayfly finds its runners by its own labels.' },
  effectiveTime: { is: 'dropped', sentence: demand },
  scaleTargetRef: { is: 'kept', sentence: 'The RunnerSet has the limits of this object.' },
  minReplicas: { is: 'changed', sentence: 'spec.scale.min: idle runners in addition to those with a job' },
  maxReplicas: { is: 'kept', sentence: 'spec.scale.max' },
  scaleDownDelaySecondsAfterScaleOut: {
    is: 'dropped',
    sentence: 'Dayfly ends an idle runner only if it is one too many.',
  },
  metrics: { is: 'dropped', sentence: demand },
  scaleUpTriggers: { is: 'dropped', sentence: demand },
  capacityReservations: { is: 'dropped', sentence: demand },
  scheduledOverrides: {
    is: 'decide',
    sentence: 'It is no list of overrides, so the RunnerSet has no schedule.',
  },
}

const unknownField: Fate = {
  is: 'decide',
  sentence: 'The import does not know this field, so the RunnerSet does not have it.',
}

/** Variables that only the entrypoint of the old image reads. */
export const oldVariables =
  /^(DISABLE_RUNNER_UPDATE|STARTUP_DELAY_IN_SECONDS|DISABLE_WAIT_FOR_DOCKER|WAIT_FOR_DOCKER_SECONDS|RUNNER_FEATURE_\w+|RUNNER_GRACEFUL_STOP_TIMEOUT|RUNNER_EPHEMERAL|RUNNER_HOME|RUNNER_WORKDIR|DOCKER_ENABLED|DOCKERD_IN_RUNNER|UNITTEST|MTU)$/

/** Returns the fate of a field that has no place of its own. */
export function fateOf(field: string): Fate {
  return (Object.hasOwn(fates, field) ? fates[field] : undefined) ?? unknownField
}
