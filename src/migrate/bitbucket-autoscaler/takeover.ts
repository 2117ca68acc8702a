// The plan that brings a cluster from the official autoscaler to Dayfly, and back (docs/reference/bitbucket.md#s4).
import { credentialSecret, type RunnerSetDocument } from './convert/set.ts'

export type TakeoverStep = { readonly title: string; readonly why: string; readonly commands: readonly string[] }

const oldNamespace = 'bitbucket-runner-control-plane'

/** @param files the folder or file with the RunnerSets, as a shell word */
export function takeoverPlan(documents: readonly RunnerSetDocument[], files: string): readonly TakeoverStep[] {
  const namespaces = [...new Set(documents.map(({ metadata }) => metadata.namespace))].sort()
  const accounts = [...new Set(documents.map(accountOf))].sort()
  return [
    {
      title: 'Give Dayfly the credential',
      why: `The Secret ${credentialSecret} must be in the namespace of each RunnerSet. Dayfly reads the same keys.`,
      commands: namespaces.map(copySecret),
    },
    {
      title: 'Let the API server check the RunnerSets',
      why: 'It changes nothing. Dayfly must be installed, because it brings the definition of RunnerSets.',
      commands: [`kubectl apply --dry-run=server -f ${files}`],
    },
    {
      title: 'Stop the old autoscaler, its cleaner first',
      why: 'The cleaner can delete a busy runner that looks offline. The old runners finish their steps and wait for more.',
      commands: ['runner-controller-cleaner', 'runner-controller'].map((name) => scale(name, 0)),
    },
    {
      title: 'Start the RunnerSets',
      why: 'New runners get their steps by the same labels, so no step waits for the old ones.',
      commands: [`kubectl apply -f ${files}`, ...namespaces.map((name) => `dayfly status -n ${name}`)],
    },
    {
      title: 'Disable the old runners at Bitbucket',
      why: 'A disabled runner finishes its step and gets no other. Disable each one with the label autoscaler.created; no runner of Dayfly has it.',
      commands: [],
    },
    {
      title: 'Remove zombies and dead registrations',
      why: 'The doctor shows what it found, and with --fix it removes it after your confirmation. It never touches a busy runner.',
      commands: accounts.map((account) => `dayfly doctor --live --bitbucket-workspace ${account}`),
    },
    {
      title: 'Remove the old runners that have become idle',
      why: 'Delete at Bitbucket each disabled runner without a step, and then its Job and its Secret. Wait for the others.',
      commands: namespaces.flatMap(leftovers),
    },
  ]
}

/** The way back. No runner of Dayfly with a step is ended. */
export function wayBack(documents: readonly RunnerSetDocument[]): readonly TakeoverStep[] {
  return [
    {
      title: 'Start the old autoscaler',
      why: 'It makes new runners within its polling interval.',
      commands: ['runner-controller', 'runner-controller-cleaner'].map((name) => scale(name, 1)),
    },
    {
      title: 'Let the runners of Dayfly end',
      why: 'Busy ones finish their step. Then delete the RunnerSets.',
      commands: documents.map(({ metadata }) => `dayfly drain ${metadata.name} -n ${metadata.namespace}`),
    },
  ]
}

/** Returns the workspace or the repository as a shell word. */
function accountOf({ spec }: RunnerSetDocument): string {
  const account = spec.bitbucket.url.replace('https://bitbucket.org/', '')
  return /^[\w./-]+$/.test(account) ? account : `'${account}'`
}

function scale(name: string, replicas: 0 | 1): string {
  return `kubectl scale deployment ${name} -n ${oldNamespace} --replicas=${replicas}`
}

/** The copy leaves out what belongs to one object. */
function copySecret(namespace: string): string {
  const own = "grep -vE '^  (creationTimestamp|namespace|resourceVersion|uid):'"
  return `kubectl get secret ${credentialSecret} -n ${oldNamespace} -o yaml | ${own} | kubectl apply -n ${namespace} -f -`
}

function leftovers(namespace: string): readonly string[] {
  return [
    `kubectl get pods -n ${namespace} -l runner_uuid -L runner_uuid`,
    `kubectl delete job/runner-UUID secret/runner-oauth-credentials-UUID -n ${namespace}`,
  ]
}
