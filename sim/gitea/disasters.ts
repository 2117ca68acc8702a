// Disasters of Gitea: its server, its tokens, its jobs, other runners, and what its users do in the web page.
import { type Random, randomInteger } from '@dayfly/kit/random'
import { unavailable } from '../disasters.ts'
import { pick } from '../streams.ts'
import type { Disaster } from '../strikes.ts'
import type { World } from '../world.ts'
import { foreignRunner, giteaRepository, idOf, keyOf } from './jobs.ts'

const seconds = (random: Random, least: number, most: number) => randomInteger(random, least * 1_000, most * 1_000)

const outage: Disaster = {
  name: 'outage of Gitea',
  strike: ({ gitea: { control }, repairs }, random) => {
    const id = control.fault(unavailable)
    repairs.in(seconds(random, 5, 90), () => control.removeFault(id))
  },
}

/** The server looks for forgotten tasks at its start. */
const restart: Disaster = {
  name: 'restart of Gitea',
  strike: ({ gitea: { control }, repairs }, random) => {
    const id = control.fault({ ...unavailable, action: { kind: 'reset', when: 'before' } })
    repairs.in(seconds(random, 1, 20), () => {
      control.removeFault(id)
      control.runCron('stop_zombie_tasks')
    })
  },
}

const refusedCordons: Disaster = {
  name: 'refused cordons at Gitea',
  strike: ({ gitea: { control }, repairs }, random) => {
    const id = control.fault({ ...unavailable, match: { method: 'PATCH', pathRegex: '/runners/' } })
    repairs.in(seconds(random, 20, 90), () => control.removeFault(id))
  },
}

const tokenReset: Disaster = {
  name: 'reset of the registration tokens',
  strike: ({ gitea: { control } }) => {
    for (const place of ['admin', 'acme', giteaRepository]) control.resetRegistrationToken(place)
  },
}

const cancellation: Disaster = {
  name: 'cancellation at Gitea',
  strike: ({ gitea: { control }, openJobs }, random) => {
    const ids = [...openJobs].flatMap((key) => idOf(key) ?? [])
    if (ids.length === 0) return
    for (const id of random() < 0.5 ? ids : [pick(ids, random)]) control.cancelJob(id)
  },
}

/** The same job waits again. */
function rerunOf({ gitea: { control } }: World): Disaster {
  const ended: string[] = []
  control.onJob(({ kind, id }) => kind === 'finished' && ended.push(id))
  return {
    name: 'rerun at Gitea',
    strike: ({ openJobs }, random) => {
      const id = ended.length > 0 ? pick(ended, random) : ''
      if (control.rerunJob(id)) openJobs.add(keyOf(id))
    },
  }
}

const deletedRegistration: Disaster = {
  name: 'deleted registration',
  strike: ({ gitea: { control }, harmed }, random) => {
    const runners = control.runners()
    if (runners.length === 0) return
    const { name, uuid } = pick(runners, random)
    harmed.add(name)
    control.deleteRunner(uuid)
  },
}

/** The runner of another client takes jobs of our sets, until it is gone without a word. */
const otherRunner: Disaster = {
  name: 'other runner',
  strike: ({ clock, gitea: { control }, harmed, repairs, sets }, random) => {
    const name = `${foreignRunner}${clock.now()}`
    const uuid = control.registerRunner('admin', name, [...new Set(sets.flatMap(({ labels }) => labels))])
    control.stub.online(uuid)
    harmed.add(name)
    repairs.in(seconds(random, 5, 90), () => {
      control.stub.vanish(uuid)
      control.deleteRunner(uuid)
    })
  },
}

/** Returns the disasters of a world with sets of Gitea; of another one, none. */
export function giteaDisasters(world: World): readonly Disaster[] {
  if (!world.sets.some(({ forge }) => forge === 'gitea')) return []
  return [
    ...[outage, restart, refusedCordons, tokenReset, cancellation, rerunOf(world), deletedRegistration, otherRunner],
  ]
}
