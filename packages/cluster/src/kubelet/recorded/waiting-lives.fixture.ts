// Lives of pods that wait: for a node, an image, a Secret or a volume.
import { forever, type Life, life, obedient, remove, runsFor, shell } from './life.fixture.ts'

const beside = (name: string) => [
  { labelSelector: { matchLabels: { beside: name } }, topologyKey: 'kubernetes.io/hostname' },
]
const neighbour = life('', { containers: [shell('main', obedient)] }).spec
const always = 'requiredDuringSchedulingIgnoredDuringExecution'

const places: readonly Life[] = [
  life(
    'node-affinity',
    {
      affinity: {
        nodeAffinity: {
          [always]: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'absent', operator: 'Exists' }] }] },
        },
      },
      containers: [shell('main', forever)],
    },
    [remove(/^Pending/, 2000)],
  ),
  life(
    'pod-affinity',
    { affinity: { podAffinity: { [always]: beside('nobody') } }, containers: [shell('main', forever)] },
    [remove(/^Pending/, 2000)],
  ),
  {
    ...life(
      'anti-affinity',
      { affinity: { podAntiAffinity: { [always]: beside('anti-affinity') } }, containers: [shell('main', forever)] },
      [remove(/^Pending/, 2000)],
    ),
    neighbour,
  },
  {
    ...life('together', {
      affinity: { podAffinity: { [always]: beside('together') } },
      containers: [shell('main', runsFor(2))],
    }),
    neighbour,
  },
]

const missing: readonly Life[] = [
  life('image-missing', { containers: [{ name: 'main', image: 'localhost/absent:1' }] }, [
    remove(/ImagePullBackOff/, 500),
  ]),
  life('image-never', { containers: [{ name: 'main', image: 'localhost/absent:1', imagePullPolicy: 'Never' }] }, [
    remove(/ErrImageNeverPull/, 500),
  ]),
  life('image-invalid', { containers: [{ name: 'main', image: 'localhost/Absent:1' }] }, [
    remove(/InvalidImageName/, 500),
  ]),
  life(
    'secret-missing',
    {
      containers: [
        shell('main', forever, {
          env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'absent', key: 'token' } } }],
        }),
      ],
    },
    [remove(/CreateContainerConfigError/, 500)],
  ),
  life(
    'key-missing',
    {
      containers: [
        shell('main', forever, {
          env: [{ name: 'CA', valueFrom: { configMapKeyRef: { name: 'kube-root-ca.crt', key: 'absent' } } }],
        }),
      ],
    },
    [remove(/CreateContainerConfigError/, 500)],
  ),
  life(
    'volume-missing',
    {
      volumes: [{ name: 'credential', secret: { secretName: 'absent' } }],
      containers: [shell('main', forever, { volumeMounts: [{ name: 'credential', mountPath: '/credential' }] })],
    },
    [remove(/ContainerCreating/, 4000)],
  ),
  life(
    'init-secret-missing',
    {
      initContainers: [shell('prepare', runsFor(2), { envFrom: [{ secretRef: { name: 'absent' } }] })],
      containers: [shell('main', forever)],
    },
    [remove(/CreateContainerConfigError/, 500)],
  ),
]

export const waitingLives: readonly Life[] = [...places, ...missing]
