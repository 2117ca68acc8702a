import { expect, it } from 'vitest'
import { stateFolder } from './state-folder.ts'

it.each([
  [{ XDG_STATE_HOME: '/state' }, '/state/dayfly'],
  [{}, '/home/a/.local/state/dayfly'],
  [{ XDG_STATE_HOME: '' }, '/home/a/.local/state/dayfly'],
  [{ XDG_STATE_HOME: 'relative' }, '/home/a/.local/state/dayfly'],
])('%j gives %s', (environment, folder) => {
  expect(stateFolder(environment, '/home/a')).toBe(folder)
})
