// The symptoms that people see, in their words, with the rules that may explain each; the most likely rule first.
type Symptom = { readonly symptom: string; readonly rules: readonly string[] }

export const symptoms: readonly Symptom[] = [
  {
    symptom: 'My Job stays Active although its work has ended',
    rules: ['dind-ordinary-container', 'long-lived-helper-in-job', 'zombie-runner-pod', 'pods-removed-under-job'],
  },
  {
    symptom: 'My runner pod stays Running, 1/2 NotReady',
    rules: ['zombie-runner-pod', 'dind-ordinary-container', 'long-lived-helper-in-job'],
  },
  {
    symptom: '`ttlSecondsAfterFinished` does nothing',
    rules: ['ttl-unreachable', 'ttl-misplaced', 'dind-ordinary-container'],
  },
  {
    symptom: 'Finished Jobs and pods pile up',
    rules: ['ttl-missing', 'terminated-near-podgc', 'orphan-completed-pods', 'ttl-misplaced', 'ttl-vs-history'],
  },
  { symptom: 'Finished Jobs vanish before I can read their logs', rules: ['ttl-too-short', 'terminated-near-podgc'] },
  {
    symptom: 'My pod stays in `Init:0/1`',
    rules: ['daemon-as-blocking-init', 'sidecar-unsupported-version', 'sidecar-field-stripped'],
  },
  {
    symptom: 'My runner set shows failed runners, but there is no pod',
    rules: [
      'ephemeralrunner-failed-silently',
      'init-restart-policy-invalid',
      'duplicate-name',
      'probe-without-sidecar',
      'slots-held-by-failed',
      'runner-cr-without-pod',
    ],
  },
  { symptom: 'My RunnerSet is refused, or never Ready', rules: ['runner-set-invalid'] },
  {
    symptom: 'Jobs wait although my runner set is below its maximum',
    rules: [
      'slots-held-by-failed',
      'runner-cr-without-pod',
      'listener-of-gone-set',
      'listener-restarts',
      'version-skew',
    ],
  },
  {
    symptom: 'The API server refuses my pod because of `restartPolicy` or a probe of an init container',
    rules: ['init-restart-policy-invalid', 'probe-without-sidecar', 'sidecar-unsupported-version'],
  },
  {
    symptom: '`Cannot connect to the Docker daemon` at the start of a job',
    rules: [
      'dind-no-startup-probe',
      'docker-root-shared',
      'docker-socket-taken',
      'stale-docker-pid',
      'sidecar-startupprobe-1-35-regression',
    ],
  },
  {
    symptom: '`Cannot connect to the Docker daemon` at the end of a job',
    rules: ['dind-dies-before-runner', 'grace-too-short'],
  },
  { symptom: 'The node runs out of disk', rules: ['docker-root-unbounded', 'ttl-missing'] },
  {
    symptom: 'My pod stays in `ContainerCreating`',
    rules: ['stuck-creating', 'pid-share-with-poststart', 'unbounded-poststart', 'rwo-work-volume'],
  },
  {
    symptom: 'My pod stays in `Terminating`',
    rules: ['stuck-terminating', 'tracking-finalizer-stuck', 'pid-share-with-poststart', 'unbounded-poststart'],
  },
  { symptom: '`helm uninstall` hangs', rules: ['uninstall-stuck', 'finalizer-deadlock-static'] },
  {
    symptom: 'A job runs twice, or its runner logs that its registration is already used or deleted',
    rules: ['retry-reuses-registration', 'runner-session-conflict', 'pods-removed-under-job'],
  },
  {
    symptom: 'A running job is killed when a node is drained or scaled down',
    rules: ['disruption-unprotected', 'pdb-on-arc-runners', 'grace-too-short', 'disruption-not-ignored'],
  },
  { symptom: 'A runner that hangs keeps its slot forever', rules: ['no-active-deadline', 'zombie-runner-pod'] },
  { symptom: 'The forge lists offline runners that have no pod', rules: ['orphan-registration'] },
]
