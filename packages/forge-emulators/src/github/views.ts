// The JSON of scale sets and runners in the Actions service (docs/reference/scale-set-protocol.md#s7-1, docs/reference/scale-set-protocol.md#s11-2).
import type { Emulation } from './emulation.ts'
import type { Runner, ScaleSet } from './state.ts'
import { statisticsOf } from './statistics.ts'

export function scaleSetView(emulation: Emulation, set: ScaleSet, origin: string): object {
  const at = `${origin}/tenant/${set.scope.key}/_apis/runtime/runnerscalesets/${set.id}`
  return {
    id: set.id,
    name: set.name,
    runnerGroupId: set.groupId,
    runnerGroupName: groupName(set),
    labels: set.labels,
    [emulation.knobs.keyCase === 'go' ? 'RunnerSetting' : 'runnerSetting']: set.setting,
    createdOn: new Date(set.createdAt).toISOString(),
    runnerJitConfigUrl: `${at}/generatejitconfig`,
    getAcquirableJobsUrl: `${at}/acquirablejobs`,
    acquireJobsUrl: `${at}/acquirejobs`,
    statistics: statisticsOf(set),
    status: 'online',
    enabled: true,
  }
}

export function agentView(runner: Runner): object {
  const { set } = runner
  return {
    id: runner.id,
    name: runner.name,
    runnerScaleSetId: set?.id ?? 0,
    os: 'linux',
    createdOn: new Date(runner.createdAt).toISOString(),
    runnerGroupId: set?.groupId ?? 1,
    runnerGroupName: set ? groupName(set) : 'Default',
    version: runner.version ?? '',
    enabled: true,
    ephemeral: true,
    status: runner.online ? 'online' : 'offline',
    disableUpdate: true,
    provisioningState: 'Provisioned',
    busy: runner.job !== undefined,
    labels: runner.labels.map((name, index) => ({ id: index + 1, name, type: 'system' })),
  }
}

function groupName(set: ScaleSet): string {
  return set.scope.groups.find((group) => group.id === set.groupId)?.name ?? ''
}
