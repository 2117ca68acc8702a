// The words of the sample: repositories, jobs, reasons, and a random number generator with a seed.
import type { JobShown, Words } from '../model/life.ts'

export type Dice = {
  /** A whole number from 0 to below `most`. */
  upTo(most: number): number
}

/** The generator mulberry32. */
export function dice(seed: number): Dice {
  let state = seed
  return {
    upTo(most) {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * most)
    },
  }
}

export const repositories = ['octo/web', 'octo/api', 'octo/mobile-app', 'tools/compiler', 'tools/images', 'data/models']
const workflows = ['ci.yml', 'release.yml', 'nightly.yml']
const jobNames = [
  'build',
  'test (1, linux)',
  'test (2, linux)',
  'lint',
  'end-to-end tests',
  'publish <images>',
  'bench',
]
const refs = ['main', 'feature/search-in-the-whole-workspace', 'release/4.2', 'fix-login']

export const quota: Words = {
  reason: 'quota-exceeded',
  sentence: 'A ResourceQuota of the namespace leaves no room for the pod.',
  detail: 'exceeded quota: runners, requested: requests.cpu=2, used: requests.cpu=40, limited: requests.cpu=40',
  next: 'Raise the quota named in the message, lower the requests of the pod template, or lower max of the set.',
}

export const missingImage: Words = {
  reason: 'image-missing',
  sentence: 'The node does not have the image and cannot pull it.',
  detail: 'Back-off pulling image "registry.internal/runner:2.330": not found',
  next: 'Check the name, tag, registry, pull secret and pull policy of the image named in the message.',
}

export const silentForge: Words = {
  reason: 'forge-unreachable',
  sentence: 'The forge does not respond.',
  detail: 'GET https://api.github.com: no answer within 10 s',
  next: 'Check the network, the proxy and the status page of the forge. Running jobs continue.',
}

export function jobOf(serial: number, random: Dice): JobShown {
  const repository = pick(repositories, random)
  const run = String(9_000_000 + serial)
  return {
    id: `job-${serial}`,
    name: pick(jobNames, random),
    repository,
    workflow: pick(workflows, random),
    ref: pick(refs, random),
    run,
    url: `https://github.com/${repository}/actions/runs/${run}`,
  }
}

function pick(words: readonly string[], random: Dice): string {
  return words[random.upTo(words.length)] ?? ''
}
