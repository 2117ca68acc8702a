// A name, a registration and a credential belong to one runner, and never to another one.
import { annotations } from '@dayfly/runner-set/core/pod'
import type { Checker } from './checker.ts'

export const usedOnce: Checker = {
  name: 'used-once',
  watch: ({ registry, sets, observers, prints: { runners, registrations, credentials } }, broken) => {
    registry.subscribe('pods', ({ type, object: { metadata } }) => {
      const registration = metadata.annotations?.[annotations.registrationId]
      if (type !== 'ADDED' || registration === undefined) return
      if (runners.seen(metadata.name)) broken(`the name ${metadata.name} is used twice`)
      const forge = sets.find(({ name }) => metadata.name.startsWith(`${name}-`))?.forge
      if (registrations.seen(`${forge} ${registration}`)) broken(`the registration ${registration} is used twice`)
    })
    observers.credentials.add(({ config: { id } }, credential) => {
      if (credential === '') broken(`a container of the pod ${id.pod} started without a credential`)
      if (credentials.seen(credential)) broken(`the pod ${id.pod} has the credential of another one`)
    })
  },
}
