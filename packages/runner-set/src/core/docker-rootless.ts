// A Docker Engine without privilege needs these fields of its pod (docs/reference/docker.md#s5). The user namespace of the pod takes the place
// of RootlessKit: the engine is root there, and the node sees an ordinary user.

/** No control group of the pod is writable, and runc accepts that only for a container whose configuration names none. */
const withoutControlGroup = `sed -i 's/"cgroupsPath":"[^"]*"/"cgroupsPath":""/' "$word/config.json"`

const folder = '/tmp/dayfly'

/**
 * The engine and its builder find this runc first. The entrypoint of Docker's own image would end, because it makes a control group
 * (https://github.com/moby/moby/issues/45378).
 */
export const rootlessStart = `mkdir -p ${folder}
cat >${folder}/runc <<END
#!/bin/sh
for word; do
  if [ "\\$before" = --bundle ]; then ${withoutControlGroup.replaceAll('$', '\\$')}; fi
  before=\\$word
done
exec "$(command -v runc)" "\\$@"
END
chmod 755 ${folder}/runc
PATH=${folder}:$PATH exec docker-init -- "$@"`

/** The capabilities count in the user namespace alone. Kubernetes refuses an unmasked /proc without that namespace. */
const securityContext = {
  capabilities: { add: ['SYS_ADMIN', 'NET_ADMIN'] },
  procMount: 'Unmasked',
  seccompProfile: { type: 'Unconfined' },
  appArmorProfile: { type: 'Unconfined' },
}

export const rootlessFields = { container: { securityContext }, pod: { hostUsers: false } }
