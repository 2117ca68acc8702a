// A stuck uninstall with access to the forge: the records that the plan removes, those that stay, and those that still exist afterwards.
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import { expect, test } from 'vitest'
import { accountOf, accountUrl, registration } from './account.fixture.ts'
import { createArc, type DoctorCluster, openDoctorCluster, ownedBy } from './doctor-cluster.fixture.ts'
import { gatherLive } from './gather.ts'
import { planRepair } from './plan.ts'
import { planDefaults } from './plan-options.ts'
import { describeRemainder, lookAgain } from './remains.ts'
import { describe } from './step.ts'

test('deregisters the runners of the chain, and lists the other records of the set', async () => {
  const made = await planFor(uninstalling(), account())
  expect(made.steps.map(({ action }) => describe(action)).filter((text) => text.includes('registration '))).toEqual([
    'remove the registration linux-r1 at the forge',
  ])
  expect(made.stays.map(describeRemainder)).toEqual([
    `the registration linux-old (id 12, online, busy) at ${accountUrl}`,
    `the scale set linux-builds (id 7) at ${accountUrl}, until it has been unused for 7 days`,
  ])
  const later = await lookAgain(accountOf([]), made.stays)
  expect(later.map(describeRemainder)).toEqual([])
})

test('knows nothing from another account, or from one that does not answer', async () => {
  const cluster = uninstalling()
  const unknown = [
    `perhaps the registration linux-r1 (id 40) at ${accountUrl}`,
    `perhaps the scale set linux (id 7) at ${accountUrl} and runners named linux-…: look at https://github.com/organizations/acme/settings/actions/runners, or ask with --github-url`,
  ]
  const other = await planFor(cluster, { ...account(), url: 'https://github.com/other' })
  expect(other.stays.map(describeRemainder)).toEqual(unknown)
  expect(other.steps.some(({ action }) => action.do === 'deregister')).toBe(false)
  const none = await planFor(cluster, undefined)
  expect((await lookAgain(undefined, none.stays)).map(describeRemainder)).toEqual(unknown)
})

function account(): ForgeAccount {
  const registrations = [
    registration('linux-r1', { id: '40', set: '7' }),
    registration('linux-old', { id: '12', set: '7', status: 'online', busy: true }),
    registration('windows', { id: '13', set: '8' }),
  ]
  const set: ForgeAccount['set'] = async (id) => (id === '7' ? { id, name: 'linux-builds' } : undefined)
  return { ...accountOf(registrations), set }
}

function uninstalling(): DoctorCluster {
  const cluster = openDoctorCluster()
  const { registry } = cluster
  const fields = { spec: { githubConfigUrl: accountUrl } }
  const domain = 'actions.github.com'
  const annotations = { 'runner-scale-set-id': '7' }
  const root = { name: 'linux', annotations, finalizers: [`autoscalingrunnerset.${domain}/finalizer`] }
  const set = createArc(registry, 'AutoscalingRunnerSet', root, fields)
  const below = { finalizers: [`ephemeralrunnerset.${domain}/finalizer`], ownerReferences: ownedBy(set) }
  const runners = createArc(registry, 'EphemeralRunnerSet', { name: 'linux-set', ...below })
  const runner = { finalizers: [`ephemeralrunner.${domain}/finalizer`], ownerReferences: ownedBy(runners) }
  const status = { runnerId: 40, runnerName: 'linux-r1' }
  createArc(registry, 'EphemeralRunner', { name: 'linux-r1', ...runner }, { ...fields, status })
  registry.delete('autoscalingrunnersets.actions.github.com', 'runners', 'linux')
  return cluster
}

async function planFor(cluster: DoctorCluster, forge: ForgeAccount | undefined) {
  const facts = await gatherLive({ ...cluster, account: forge })
  const object = { apiVersion: `actions.github.com/v1alpha1`, kind: 'AutoscalingRunnerSet', namespace: 'runners' }
  const found = { rule: 'uninstall-stuck', object: { ...object, name: 'linux' } }
  return planRepair(facts, [found], { ...planDefaults, restoreDeclined: true })
}
