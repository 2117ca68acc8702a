// A name, a registration and a credential belong to one runner, and never to another one.
import { annotations } from '../../src/core/pod.ts'
import type { Checker } from './checker.ts'

export const usedOnce: Checker = {
  name: 'used-once',
  watch: ({ registry, heard }, broken) => {
    const names = new Set<string>()
    const registrations = new Set<unknown>()
    const credentials = new Map<string, string>()
    registry.subscribe('pods', ({ type, object: { metadata } }) => {
      const registration = metadata.annotations?.[annotations.registrationId]
      if (type !== 'ADDED' || registration === undefined) return
      if (names.has(metadata.name)) broken(`the name ${metadata.name} is used twice`)
      if (registrations.has(registration)) broken(`the registration ${registration} is used twice`)
      names.add(metadata.name)
      registrations.add(registration)
    })
    heard.credentials.add(({ config: { id } }, credential) => {
      if (credential === '') broken(`a container of the pod ${id.pod} started without a credential`)
      const other = credentials.get(credential)
      if (other !== undefined) broken(`the pods ${other} and ${id.pod} have the same credential`)
      credentials.set(credential, id.pod)
    })
  },
}
