// All that an incident may do with its cluster. The embedded cluster of the lab is one, and tests have a real node.
import type { Profile } from '@dayfly/cluster/api/api'
import type { ClusterOptions } from '@dayfly/cluster/cluster'
import type { ContainerId } from '@dayfly/cluster/runtime/runtime'
import type { Script } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Transport } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import type { Inquiry } from '@dayfly/kubernetes/inquiry'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'

export type WorldOptions = {
  readonly profile: Profile
  /** The behaviour of each container, by its name. A container without a script runs until it is stopped. */
  readonly scripts?: Readonly<Record<string, Script>>
  readonly cluster?: Pick<ClusterOptions, 'terminatedPodGcThreshold' | 'jobs'>
  readonly namespaces?: readonly string[]
}

/** Whether something has happened. A call that the API server refuses means: not yet. */
export type Condition = () => boolean | Promise<boolean>

export interface World {
  /** The time of the cluster, for programs that run beside the incident. */
  readonly clock: Clock
  /** The time by which the doctor judges ages. Its sleep lets time pass. */
  readonly doctorClock: Clock
  readonly random: Random
  readonly transport: Transport
  readonly kubernetes: Kubernetes
  readonly inquiry: Inquiry
  readonly startedAt: Instant
  /** Is aborted when the world ends. */
  readonly over: AbortSignal
  /** Lets time pass. On virtual time it is all of `ms`, and in real time what the condition needs. */
  pass(ms: number, until: Condition): Promise<void>
  /** Lets a time pass in which nothing should happen. In real time it is a part of `ms`, and the doctor's clock is set ahead. */
  linger(ms: number): Promise<void>
  /** Lets time pass until the work is done, at most `ms`. */
  during<T>(ms: number, work: Promise<T>): Promise<T>
  /** The containers of this world that run on the node, with or without a pod. */
  containers(): Promise<readonly ContainerId[]>
  /** Kills a container on the node, without the kubelet. */
  endContainer(id: ContainerId): Promise<void>
}
