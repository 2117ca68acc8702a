// A world for each test of a demo, with a folder for the files of the tester.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { createWorld, type World } from './cli.ts'

/** The leftovers in the report of a demo that left nothing. */
export const clean = { pods: 0, secrets: 0, registrations: 0, processes: 0, directories: 0 }

export type WorldOfTest = {
  /** The world of the test that runs now. */
  readonly world: World
  /** The folder of the tester's files. */
  readonly own: string
  /** Writes a file of the tester. Returns its path. */
  write(name: string, text: string): string
}

/** Opens a world before each test of the file, and ends it after the test. */
export function useWorld(): WorldOfTest {
  let world: World
  const ownFolder = () => path.join(world.directory, 'own')
  beforeEach(() => {
    world = createWorld()
    mkdirSync(ownFolder())
  })
  afterEach(() => world.end())
  return {
    get world() {
      return world
    },
    get own() {
      return ownFolder()
    },
    write: (name, text) => {
      const file = path.join(ownFolder(), name)
      writeFileSync(file, text)
      return file
    },
  }
}
