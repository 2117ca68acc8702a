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
      title: 'Start the RunnerSets',
      why: 'New runners get their steps by the same labels, so no step waits for the old ones.',
      commands: [`kubectl apply -f ${files}`, ...namespaces.map((name) => `dayfly status -n ${name}`)],
    },
    {
      title: 'Let the old autoscaler and its runners end',
      why: 'The command shows its plan first. Confirmed, it stops the old autoscaler, disables its runners, and removes each one that has no step, with its Job and Secret. A runner with a step finishes it: run the command again then.',
      commands: accounts.map((account) => `dayfly takeover bitbucket-autoscaler --bitbucket-workspace ${account}`),
    },
    {
      title: 'Look for what else is left',
      why: 'The doctor shows zombies and dead registrations, and with --fix it removes them after your confirmation. It never touches a busy runner.',
      commands: accounts.map((account) => `dayfly doctor --live --bitbucket-workspace ${account}`),
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
