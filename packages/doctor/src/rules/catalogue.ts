// Every rule, in the order of their codes.
import type { Rule } from '../rule.ts'
import { rule as daemonAsBlockingInit } from './daemon-as-blocking-init.ts'
import { rule as dindDiesBeforeRunner } from './dind-dies-before-runner.ts'
import { rule as dindNoStartupProbe } from './dind-no-startup-probe.ts'
import { rule as dindOrdinaryContainer } from './dind-ordinary-container.ts'
import { rule as disruptionNotIgnored } from './disruption-not-ignored.ts'
import { rule as disruptionUnprotected } from './disruption-unprotected.ts'
import { rule as dockerRootShared } from './docker-root-shared.ts'
import { rule as dockerRootUnbounded } from './docker-root-unbounded.ts'
import { rule as dockerSocketTaken } from './docker-socket-taken.ts'
import { rule as duplicateName } from './duplicate-name.ts'
import { rule as ephemeralrunnerFailedSilently } from './ephemeralrunner-failed-silently.ts'
import { rule as finalizerDeadlockStatic } from './finalizer-deadlock-static.ts'
import { rule as graceTooShort } from './grace-too-short.ts'
import { rule as initRestartPolicyInvalid } from './init-restart-policy-invalid.ts'
import { rule as listenerOfGoneSet } from './listener-of-gone-set.ts'
import { rule as listenerRestarts } from './listener-restarts.ts'
import { rule as longLivedHelperInJob } from './long-lived-helper-in-job.ts'
import { rule as noActiveDeadline } from './no-active-deadline.ts'
import { rule as orphanCompletedPods } from './orphan-completed-pods.ts'
import { rule as orphanRegistration } from './orphan-registration.ts'
import { rule as pdbOnArcRunners } from './pdb-on-arc-runners.ts'
import { rule as pidShareWithPoststart } from './pid-share-with-poststart.ts'
import { rule as podsRemovedUnderJob } from './pods-removed-under-job.ts'
import { rule as probeWithoutSidecar } from './probe-without-sidecar.ts'
import { rule as retryReusesRegistration } from './retry-reuses-registration.ts'
import { rule as runnerCrWithoutPod } from './runner-cr-without-pod.ts'
import { rule as runnerSessionConflict } from './runner-session-conflict.ts'
import { rule as runnerSetInvalid } from './runner-set-invalid.ts'
import { rule as rwoWorkVolume } from './rwo-work-volume.ts'
import { rule as sidecarFieldStripped } from './sidecar-field-stripped.ts'
import { rule as sidecarStartupprobe135Regression } from './sidecar-startupprobe-1-35-regression.ts'
import { rule as sidecarUnsupportedVersion } from './sidecar-unsupported-version.ts'
import { rule as slotsHeldByFailed } from './slots-held-by-failed.ts'
import { rule as staleDockerPid } from './stale-docker-pid.ts'
import { rule as stuckCreating } from './stuck-creating.ts'
import { rule as stuckTerminating } from './stuck-terminating.ts'
import { rule as terminatedNearPodgc } from './terminated-near-podgc.ts'
import { rule as trackingFinalizerStuck } from './tracking-finalizer-stuck.ts'
import { rule as ttlMisplaced } from './ttl-misplaced.ts'
import { rule as ttlMissing } from './ttl-missing.ts'
import { rule as ttlTooShort } from './ttl-too-short.ts'
import { rule as ttlUnreachable } from './ttl-unreachable.ts'
import { rule as ttlVsHistory } from './ttl-vs-history.ts'
import { rule as unboundedPoststart } from './unbounded-poststart.ts'
import { rule as uninstallStuck } from './uninstall-stuck.ts'
import { rule as versionSkew } from './version-skew.ts'
import { rule as zombieRunnerPod } from './zombie-runner-pod.ts'

export const catalogue: readonly Rule[] = [
  dindOrdinaryContainer,
  longLivedHelperInJob,
  initRestartPolicyInvalid,
  daemonAsBlockingInit,
  sidecarUnsupportedVersion,
  sidecarFieldStripped,
  probeWithoutSidecar,
  dindNoStartupProbe,
  sidecarStartupprobe135Regression,
  pidShareWithPoststart,
  unboundedPoststart,
  graceTooShort,
  dindDiesBeforeRunner,
  dockerRootUnbounded,
  staleDockerPid,
  disruptionUnprotected,
  pdbOnArcRunners,
  dockerSocketTaken,
  duplicateName,
  dockerRootShared,
  ttlMissing,
  ttlUnreachable,
  ttlMisplaced,
  ttlVsHistory,
  ttlTooShort,
  retryReusesRegistration,
  noActiveDeadline,
  disruptionNotIgnored,
  podsRemovedUnderJob,
  trackingFinalizerStuck,
  zombieRunnerPod,
  stuckTerminating,
  stuckCreating,
  terminatedNearPodgc,
  orphanCompletedPods,
  runnerSessionConflict,
  orphanRegistration,
  ephemeralrunnerFailedSilently,
  slotsHeldByFailed,
  runnerCrWithoutPod,
  versionSkew,
  rwoWorkVolume,
  listenerOfGoneSet,
  listenerRestarts,
  finalizerDeadlockStatic,
  uninstallStuck,
  runnerSetInvalid,
]
