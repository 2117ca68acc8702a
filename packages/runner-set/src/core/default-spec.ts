// The pod spec that a user's template is merged over: the runner of the forge, and the Docker Engine if the set wants one.
import { forgeTraits } from '../model/forge-traits.ts'
import type { RunnerTraits } from '../model/forges/traits.ts'
import { runnerContainer } from '../model/runner-names.ts'
import { defaultEngine, defaultJobPods, type ForgeKind, type RunnerSet } from '../model/runner-set.ts'
import { dockerContainer, dockerForRunner, dockerSpec, workFolder } from './docker-sidecar.ts'
import { jobPodsSpec } from './job-pods-spec.ts'
import { mergeTemplate } from './merge.ts'
import { directNetwork, networkOfContainer, networkVolumes } from './network.ts'
import { externalsSpec } from './runner-externals.ts'

type Plain = Readonly<Record<string, unknown>>

type Wanted = { readonly forge: ForgeKind } & Pick<RunnerSet, 'docker'> &
  Partial<Pick<RunnerSet, 'dockerEngine' | 'jobs' | 'jobPods' | 'network'>>

/** @param secretName the Secret with the runner's credential */
export function defaultSpec(
  {
    forge,
    docker,
    dockerEngine = defaultEngine,
    jobs = 'host',
    jobPods = defaultJobPods,
    network = directNetwork,
  }: Wanted,
  secretName: string,
): Plain {
  const { runner } = forgeTraits[forge]
  const base = { automountServiceAccountToken: false, enableServiceLinks: false }
  const own = networkOfContainer(network, secretName)
  const parts = [
    runnerSpec(runner, secretName),
    { containers: [{ name: runnerContainer, ...own }], volumes: networkVolumes(network) },
    ...(docker === 'none'
      ? []
      : [
          { ...dockerSpec(docker, dockerEngine), containers: [{ name: runnerContainer, ...dockerForRunner(runner) }] },
          { initContainers: [{ name: dockerContainer, ...own }] },
          externalsSpec(runner),
        ]),
    ...(jobs === 'host' ? [] : [jobPodsSpec(jobPods)]),
  ]
  return parts.reduce<Plain>((spec, part) => mergeTemplate(spec, part), base)
}

function runnerSpec({ image, command, env, credential, workFolderVariable }: RunnerTraits, secretName: string): Plain {
  const mounted = credential.is === 'file' ? credential.folder : undefined
  const container = {
    name: runnerContainer,
    image,
    ...(command === undefined ? {} : { command }),
    env: [
      ...(credential.is === 'environment' ? credential.keys.map((key) => fromSecret(secretName, key)) : []),
      ...env,
      ...(workFolderVariable === undefined ? [] : [{ name: workFolderVariable, value: workFolder }]),
    ],
    volumeMounts: [
      ...(mounted === undefined ? [] : [{ name: 'dayfly-credential', mountPath: mounted, readOnly: true }]),
      ...(workFolderVariable === undefined ? [] : [{ name: 'dayfly-work', mountPath: workFolder }]),
    ],
  }
  const volumes = [
    ...(mounted === undefined ? [] : [{ name: 'dayfly-credential', secret: { secretName, defaultMode: 0o444 } }]),
    ...(workFolderVariable === undefined ? [] : [{ name: 'dayfly-work', emptyDir: {} }]),
  ]
  return { containers: [container], volumes }
}

function fromSecret(secretName: string, { name, optional }: { readonly name: string; readonly optional?: true }) {
  return { name, valueFrom: { secretKeyRef: { name: secretName, key: name, ...(optional ? { optional } : {}) } } }
}
