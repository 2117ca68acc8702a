// The rows of the table of failures that concern the forge.
import type { FailureInfo } from './failure-info.ts'
import { soon } from './failure-retries.ts'

export const forgeFailures = {
  'forge-unreachable': {
    class: 'forge',
    sentence: 'The forge does not respond.',
    next: 'Check the network, the proxy and the status page of the forge. Running jobs continue.',
    retry: soon,
  },
  'forge-unauthorized': {
    class: 'forge',
    sentence: 'The forge refuses the credential.',
    next: 'Check the credential in the Secret, its scopes, and its access to the URL of the set.',
    retry: soon,
  },
  'forge-misconfigured': {
    class: 'forge',
    sentence: 'The forge settings of the set cannot work.',
    next: 'Correct the setting named in the message.',
    retry: soon,
  },
  'forge-settings-differ': {
    class: 'forge',
    sentence: 'The record of the set at the forge differs from the RunnerSet.',
    next: 'Change the setting named in the message at the forge or in the set.',
    retry: soon,
  },
  'forge-limited': {
    class: 'forge',
    sentence: 'The forge limits our requests.',
    next: 'Wait: Dayfly continues when the limit allows.',
    retry: soon,
  },
  'forge-assigns-nothing': {
    class: 'forge',
    sentence: 'The forge counts jobs that wait for the set, and gives its online runners none.',
    next: 'Check the status page of the forge. The runners stay, and take the jobs when the forge gives them out again.',
    retry: soon,
  },
  'forge-events-late': {
    class: 'forge',
    sentence: 'The forge reports its jobs late, so the demand is old and jobs wait.',
    next: 'Check the status page of the forge, and the clock of the cluster. Dayfly goes on with what arrives.',
    retry: soon,
  },
  'rerun-refused': {
    class: 'forge',
    sentence: 'The forge does not let Dayfly repeat jobs, or notify their authors.',
    next: 'Give the credential the permission that the message names, and accept it where the App is installed. Broken jobs wait for a day.',
    retry: soon,
  },
  'session-taken': {
    class: 'forge',
    sentence: 'Another listener holds the message session of the scale set.',
    next: 'Stop the other listener, or rename this set. An abandoned session ends by itself.',
    retry: soon,
  },
  'scale-set-missing': {
    class: 'forge',
    sentence: 'The forge has lost the scale set.',
    next: 'Wait: Dayfly creates the scale set again.',
    retry: soon,
  },
  'set-name-taken': {
    class: 'forge',
    sentence: 'Another RunnerSet of this cluster uses the name at the same account of the forge.',
    next: 'Rename one of the two sets, or give one another runner group. Jobs ask for the new name.',
    retry: soon,
  },
  'registration-collides': {
    class: 'forge',
    sentence: 'Another owner uses the name of the scale set.',
    next: 'If ARC has it, run dayfly takeover arc. Otherwise choose another name. Delete the scale set only if no RunnerSet of any namespace uses it.',
    retry: soon,
  },
} as const satisfies Record<string, FailureInfo>
