// The texts that a world may see only once, by what they are.
import { createFingerprints, type Fingerprints } from './fingerprints.ts'

type Name = 'runners' | 'registrations' | 'credentials' | 'jobs' | 'repeats'

export type Prints = Readonly<Record<Name, Fingerprints>>
export type SavedPrints = Readonly<Record<Name, Float64Array>>

/** @param saved the texts that earlier worlds have seen */
export function createPrints(saved?: SavedPrints): Prints {
  return byName((name) => createFingerprints(saved?.[name]))
}

export function savePrints(prints: Prints): SavedPrints {
  return byName((name) => prints[name].save())
}

function byName<Value>(make: (name: Name) => Value): Readonly<Record<Name, Value>> {
  return {
    runners: make('runners'),
    registrations: make('registrations'),
    credentials: make('credentials'),
    jobs: make('jobs'),
    repeats: make('repeats'),
  }
}
