// Bugs to plant in a bundle of the simulation, each at a place where a real slip would happen. They prove that the checkers see it.
import type { Edit } from './bundle.ts'
import type { CheckerName } from './checkers/checker.ts'

export type PlantedBug = {
  readonly name: string
  readonly edits: readonly Edit[]
  /** The checker that must find it. */
  readonly by: CheckerName
  /** A seed between 1 and 200 in which that checker finds it. */
  readonly seed: number
}

const startRunner = 'packages/controller/src/act/start-runner.ts'

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a failed list is taken as empty',
    by: 'ceiling',
    seed: 27,
    edits: [
      {
        file: 'packages/controller/src/pod-cache.ts',
        before: '  stale(since: Instant, why: string): void {\n',
        after: '  stale(since: Instant, why: string): void {\n    this.replaced([], this.#clock.now())\n',
      },
    ],
  },
  {
    name: 'the pod of a job is removed while its runner works',
    by: 'busy-runner',
    seed: 3,
    edits: [
      {
        file: 'packages/runner-set/src/core/job-pod.ts',
        before: "if (pod.end) return 'remove'",
        after: "if (pod.startedAt) return 'remove'",
      },
    ],
  },
  {
    name: 'the pod of a job is forgotten with its set',
    by: 'rest',
    seed: 25,
    edits: [
      {
        file: 'packages/controller/src/set-workers.ts',
        before: 'if (setNameIn(runner) === undefined) return undefined',
        after: 'if (runner) return undefined',
      },
    ],
  },
  {
    name: 'a credential is used again',
    by: 'used-once',
    seed: 1,
    edits: [
      {
        file: startRunner,
        before: 'credential: answer.credential }',
        after: 'credential: (link as any).credential ??= answer.credential }',
      },
    ],
  },
  {
    name: 'a pod is deleted without its UID',
    by: 'strangers',
    seed: 1,
    edits: [
      {
        file: 'packages/controller/src/act/delete-runner.ts',
        before: 'resourceVersion === undefined ? { uid } : { uid, resourceVersion }',
        after: 'resourceVersion === undefined ? {} : { resourceVersion }',
      },
    ],
  },
  {
    name: 'a start counts only when the watch shows its pod',
    by: 'ceiling',
    seed: 1,
    edits: [
      {
        file: 'packages/runner-set/src/core/state/fold-decided.ts',
        before: '    put(step, requestedRunner(action.runner, step.at))\n',
        after: '',
      },
    ],
  },
  {
    name: 'a message is deleted before its events are taken',
    by: 'messages',
    seed: 1,
    edits: [
      {
        file: 'packages/forges/src/github/session/listener.ts',
        before: '    const result = await this.#intake.receive(message, session)\n',
        after:
          '    await session.acknowledge(String(message.id))\n    const result = await this.#intake.receive(message, session)\n',
      },
    ],
  },
  {
    name: 'a registration is left that an earlier process made',
    by: 'rest',
    seed: 20,
    edits: [
      {
        file: 'packages/runner-set/src/core/state/fold-forge.ts',
        before: 'const ours = registration.name.startsWith(prefix)',
        after: 'const ours = state.jobs.some(({ runner }) => runner === registration.name)',
      },
    ],
  },
  {
    name: 'the Lease is judged by the clocks of the machines',
    by: 'one-leader',
    seed: 1,
    edits: [
      {
        file: 'packages/kubernetes/src/server-time.ts',
        before: 'return { clock: { now, after',
        after: 'return { clock: { now: own.now, after',
      },
      {
        file: 'packages/kubernetes/src/lease.ts',
        before: 'clock.after(effect.record.durationMs,',
        after:
          'clock.after(Math.max(0, Date.parse((effect.record.object as any).spec.renewTime) + effect.record.durationMs - clock.now()),',
      },
    ],
  },
  {
    name: 'a scale-down deletes its pods without asking the forge',
    by: 'busy-runner',
    seed: 66,
    edits: [
      {
        file: 'packages/runner-set/src/core/scale.ts',
        before: "endStep(moment, runner, runner.pod.value, { kind: 'surplus' })",
        after:
          "{ action: { kind: 'delete-runner', runner: runner.name, pod: { uid: runner.pod.value.uid }, because: { kind: 'surplus' } } }",
      },
    ],
  },
  {
    name: 'a Secret is left whose pod is refused',
    by: 'rest',
    seed: 1,
    edits: [
      {
        file: startRunner,
        before: '  const created = await createPod(context, name, registered.outcome.registration)\n',
        after:
          "  const secret = await createSecret(context, name, '', registered.credential)\n  if (secret.is !== 'secret-created') return yield { ...secret, step: 'register' }\n  const created = await createPod(context, name, registered.outcome.registration)\n",
      },
      {
        file: startRunner,
        before: 'yield await createSecret(context, name, created.pod.uid, registered.credential)',
        after: 'yield secret',
      },
      {
        file: 'packages/runner-set/src/core/pod.ts',
        before:
          "      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid: podUid, blockOwnerDeletion: false }],\n",
        after: '',
      },
    ],
  },
  {
    name: 'the demand is counted from messages',
    by: 'rest',
    seed: 4,
    edits: [
      {
        file: 'packages/forges/src/github/session/demand.ts',
        before: '    if (message.statistics) this.#trust(message.statistics)\n',
        after:
          "    for (const { kind } of message.jobs) this.#assigned = (this.#assigned ?? 0) + (kind === 'assigned' ? 1 : kind === 'completed' ? -1 : 0)\n",
      },
      {
        file: 'packages/forges/src/github/session/demand.ts',
        before: '    if (statistics) this.#trust(statistics)',
        after: '    if (statistics && this.#assigned === undefined) this.#trust(statistics)',
      },
    ],
  },
  {
    name: 'the maximum does not bound the starts',
    by: 'ceiling',
    seed: 3,
    edits: [
      {
        file: 'packages/runner-set/src/core/starts.ts',
        before: 'most: Math.max(0, set.scale.max - counts.occupied)',
        after: 'most: Number.POSITIVE_INFINITY',
      },
    ],
  },
  {
    name: 'a removal at Gitea trusts what the list of runners calls busy',
    by: 'busy-runner',
    seed: 53,
    edits: [
      {
        file: 'packages/forges/src/gitea/wire.ts',
        before: "...(status === 'active' ? { isActive: true } : {})",
        after: "...(valueAt(value, 'busy') === true ? { isActive: true } : {})",
      },
      {
        file: 'packages/forges/src/gitea/account-state.ts',
        before: "return (await this.#isBusy(id, signal)) ? 'busy' : this.delete(id, signal)\n  }\n\n  /** Removes",
        after:
          "return (await this.listed(signal)).runners.find((one) => one.id === id)?.isActive ? 'busy' : this.delete(id, signal)\n  }\n\n  /** Removes",
      },
    ],
  },
  {
    name: 'only the first page of a list of Gitea is read',
    by: 'jobs',
    seed: 47,
    edits: [
      {
        file: 'packages/forges/src/gitea/lists.ts',
        before: 'if (count >= total || entries.length === 0) return { entries: [...seen.values()], total }',
        after: 'return { entries: [...seen.values()], total: Math.min(total, count) }',
      },
    ],
  },
  {
    name: 'a runner of Gitea that never got its job polls forever',
    by: 'rest',
    seed: 8,
    edits: [
      {
        file: 'packages/runner-set/src/core/life.ts',
        before: 'if (!forgeTraits[world.set.source.kind].runner.exitsUnregistered) {',
        after: 'if (false) {',
      },
    ],
  },
  {
    name: 'a job that succeeded before its runner died is repeated',
    by: 'reruns',
    seed: 1,
    edits: [
      {
        file: 'packages/runner-set/src/core/rerun/verdict.ts',
        before: "  if (state === 'succeeded' || state === 'skipped') return 'succeeded'\n",
        after: '',
      },
    ],
  },
]
