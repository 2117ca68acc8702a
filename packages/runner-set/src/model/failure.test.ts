import { describe, expect, it } from 'vitest'
import { type FailureReason, failureInfo, reasonOfContainer, reasonOfEnd, reasonOfEvent } from './failure.ts'
import { failures } from './failure-table.ts'

it.each([
  ['container', reasonOfContainer('InvalidImageName'), 'image-invalid', 'never'],
  // Another node may have the image: one such node must not stop the set.
  ['container', reasonOfContainer('ErrImageNeverPull'), 'image-missing', 'backoff'],
  ['container', reasonOfContainer('StartError'), 'command-missing', 'backoff'],
  ['event', reasonOfEvent('FailedMount'), 'volume-failed', 'backoff'],
  ['end', reasonOfEnd('OOMKilled'), 'out-of-memory', 'backoff'],
] as const)('the reason of a %s is %s', (_source, reason, expected, retry) => {
  expect(reason).toBe(expected)
  expect(failureInfo(expected).retry.is).toBe(retry)
})

describe('every word of the cluster has its reason', () => {
  // These are the words of the kubelet, the scheduler and the controllers of Kubernetes (docs/reference/kubernetes.md).
  it.each<[string, FailureReason]>([
    ['ErrImagePull', 'image-missing'],
    ['ImagePullBackOff', 'image-missing'],
    ['ErrImageNeverPull', 'image-missing'],
    ['ImageInspectError', 'image-missing'],
    ['RegistryUnavailable', 'image-missing'],
    ['InvalidImageName', 'image-invalid'],
    ['CreateContainerConfigError', 'config-missing'],
    ['CreateContainerError', 'command-missing'],
    ['RunContainerError', 'command-missing'],
    ['StartError', 'command-missing'],
    ['ContainerCannotRun', 'command-missing'],
  ])('a word of a container: %s', (word, reason) => expect(reasonOfContainer(word)).toBe(reason))

  it.each<[string, FailureReason]>([
    ['FailedScheduling', 'unschedulable'],
    ['FailedMount', 'volume-failed'],
    ['FailedAttachVolume', 'volume-failed'],
    ['FailedMapVolume', 'volume-failed'],
    ['FailedCreatePodSandBox', 'sandbox-failed'],
    ['NetworkNotReady', 'sandbox-failed'],
    ['SandboxChanged', 'sandbox-failed'],
    ['FailedPostStartHook', 'hook-failed'],
    ['NodeNotReady', 'node-lost'],
  ])('a word of an Event: %s', (word, reason) => expect(reasonOfEvent(word)).toBe(reason))

  it.each<[string, FailureReason]>([
    ['OOMKilled', 'out-of-memory'],
    ['Evicted', 'evicted'],
    ['EvictionByEvictionAPI', 'evicted'],
    ['TerminationByKubelet', 'evicted'],
    ['Preempting', 'preempted'],
    ['Preempted', 'preempted'],
    ['PreemptionByScheduler', 'preempted'],
    ['NodeLost', 'node-lost'],
    ['DeletionByTaintManager', 'node-lost'],
    ['DeletionByPodGC', 'node-lost'],
    ['Terminated', 'node-shutdown'],
    ['NodeShutdown', 'node-shutdown'],
    ['Shutdown', 'node-shutdown'],
    ['UnexpectedAdmissionError', 'node-refused'],
    ['NodeAffinity', 'node-refused'],
    ['NodePorts', 'node-refused'],
    ['TopologyAffinityError', 'node-refused'],
    ['PodOSNotSupported', 'node-refused'],
    ['DeadlineExceeded', 'deadline-exceeded'],
  ])('a word of an end: %s', (word, reason) => expect(reasonOfEnd(word)).toBe(reason))
})

it('knows no reason for a container that is only slow', () => {
  expect([reasonOfContainer('ContainerCreating'), reasonOfContainer(undefined), reasonOfEvent('Pulled')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

it('gives each word of the cluster to one reason only', () => {
  for (const column of ['containerReasons', 'eventReasons', 'endReasons'] as const) {
    const words = Object.values<{ readonly [key: string]: unknown }>(failures).flatMap(
      (row) => (row[column] ?? []) as string[],
    )
    expect(new Set(words).size).toBe(words.length)
  }
})
