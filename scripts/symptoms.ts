// What people see, in their words, and the rules that may explain it; the likeliest first.
type Symptom = { readonly sign: string; readonly rules: readonly string[] }

export const symptoms: readonly Symptom[] = [
  {
    sign: 'My Job stays Active though its work has ended',
    rules: ['dind-ordinary-container', 'long-lived-helper-in-job', 'zombie-runner-pod', 'pods-removed-under-job'],
  },
  {
    sign: 'My runner pod stays Running, 1/2 NotReady',
    rules: ['zombie-runner-pod', 'dind-ordinary-container', 'long-lived-helper-in-job'],
  },
  {
    sign: '`ttlSecondsAfterFinished` does nothing',
    rules: ['ttl-unreachable', 'ttl-misplaced', 'dind-ordinary-container'],
  },
  {
    sign: 'Finished Jobs and pods pile up',
    rules: ['ttl-missing', 'terminated-near-podgc', 'orphan-completed-pods', 'ttl-misplaced', 'ttl-vs-history'],
  },
  { sign: 'Finished Jobs vanish before I can read their logs', rules: ['ttl-too-short', 'terminated-near-podgc'] },
  {
    sign: 'My pod stays in `Init:0/1`',
    rules: ['daemon-as-blocking-init', 'sidecar-unsupported-version', 'sidecar-field-stripped'],
  },
  {
    sign: 'My runner set shows failed runners, and there is no pod',
    rules: [
      'ephemeralrunner-failed-silently',
      'init-restart-policy-invalid',
      'probe-without-sidecar',
      'slots-held-by-failed',
      'runner-cr-without-pod',
    ],
  },
  {
    sign: 'Jobs wait though my runner set is below its maximum',
    rules: ['slots-held-by-failed', 'runner-cr-without-pod', 'version-skew'],
  },
  {
    sign: 'The API server refuses my pod: `restartPolicy` or a probe of an init container',
    rules: ['init-restart-policy-invalid', 'probe-without-sidecar', 'sidecar-unsupported-version'],
  },
  {
    sign: '`Cannot connect to the Docker daemon` at the start of a job',
    rules: ['dind-no-startup-probe', 'stale-docker-pid', 'sidecar-startupprobe-1-35-regression'],
  },
  {
    sign: '`Cannot connect to the Docker daemon` while a job ends',
    rules: ['dind-dies-before-runner', 'grace-too-short'],
  },
  { sign: 'The node runs out of disk', rules: ['docker-root-unbounded', 'ttl-missing'] },
  {
    sign: 'My pod stays in `ContainerCreating`',
    rules: ['stuck-creating', 'pid-share-with-poststart', 'unbounded-poststart', 'rwo-work-volume'],
  },
  {
    sign: 'My pod stays in `Terminating`',
    rules: ['stuck-terminating', 'tracking-finalizer-stuck', 'pid-share-with-poststart', 'unbounded-poststart'],
  },
  { sign: '`helm uninstall` hangs', rules: ['uninstall-stuck', 'finalizer-deadlock-static'] },
  {
    sign: 'A job runs twice, or its runner says that its registration is used or gone',
    rules: ['retry-reuses-registration', 'runner-session-conflict', 'pods-removed-under-job'],
  },
  {
    sign: 'A running job is killed when a node is drained or scaled down',
    rules: ['disruption-unprotected', 'pdb-on-arc-runners', 'grace-too-short', 'disruption-not-ignored'],
  },
  { sign: 'A runner that hangs holds its place for ever', rules: ['no-active-deadline', 'zombie-runner-pod'] },
  { sign: 'The forge lists offline runners that no pod belongs to', rules: ['orphan-registration'] },
]
