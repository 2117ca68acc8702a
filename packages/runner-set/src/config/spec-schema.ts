// The fields of a RunnerSet's `spec`. This schema is the only description of them (docs/decisions/0002-one-schema.md).
import * as z from 'zod'
import { dataKey, duration, objectName, size, texts } from './field-schemas.ts'
import { pool } from './pool-schema.ts'
import { rerun } from './rerun-schemas.ts'
import { ca, proxy, whole } from './route-schemas.ts'
import { scheduleWindow, usualDemand } from './schedule-schema.ts'
import { sizes } from './size-schema.ts'

/** A set's name is the value of a label, which has at most this many characters. */
export const nameLengthMax = 63

/** The account of the runners at a forge, and the credentials for it. */
const account = (forge: string, url: string) => ({
  url: z
    .string()
    .min(1)
    .max(512)
    .regex(/^[^\s\\]+$/, 'the URL may not have spaces or backslashes')
    .describe(url),
  plainHttp: z
    .boolean()
    .optional()
    .describe(
      `Allows an http:// URL of another machine. The credentials for ${forge} then go over the network in clear text.`,
    ),
  credentials: z
    .strictObject({ secret: objectName.describe('The Secret in this namespace with the credentials.') })
    .meta(whole)
    .describe(`The credentials for ${forge}.`),
})

/** The way to a forge. */
const route = { proxy: proxy.optional(), ca: ca.optional() }

const runner = z
  .strictObject({
    inherit: z
      .boolean()
      .default(true)
      .describe(
        'false: the runners have only the proxy and the certificates of this section, and not those of the forge.',
      ),
    proxy: proxy
      .optional()
      .describe(
        'The forward proxy of the runner and of its Docker Engine, as environment: HTTP_PROXY, HTTPS_PROXY, NO_PROXY.',
      ),
    ca: ca
      .optional()
      .describe(
        'Certificates of authorities that the runner and its Docker Engine trust: a mounted file and SSL_CERT_FILE.',
      ),
  })
  .describe('The way of the runners to the network. Without it, they have the proxy and the certificates of the forge.')

const dockerEngine = z
  .strictObject({
    mirror: z
      .string()
      .max(512)
      .regex(/^https?:\/\/[^\s@]+$/, 'the URL must be http:// or https://, without user and password')
      .optional()
      .describe('The URL of a registry mirror, from which the engine pulls the images of Docker Hub first.'),
    insecureRegistries: z
      .array(
        z
          .string()
          .max(253)
          .regex(/^[^\s/@]+$/, 'the registry must be a host and its port, without https:// and path'),
      )
      .max(64)
      .meta({ 'x-kubernetes-list-type': 'set' })
      .default([])
      .describe('Registries without TLS, or with a certificate that the engine does not know: host:port.'),
    storage: z
      .strictObject({
        size: size.default('20Gi').describe('The size of the volume.'),
        class: objectName
          .optional()
          .describe(
            'The StorageClass of a claim for each pod, which ends with the pod. Without it, the disk of the node.',
          ),
      })
      .default({ size: '20Gi' })
      .describe('The volume for images and layers.'),
  })
  .describe('The configuration of the Docker Engine. Only with docker: sidecar or rootless.')

const jobPods = z
  .strictObject({
    serviceAccount: objectName
      .default('dayfly-job-pods')
      .describe('The ServiceAccount of the runners. It may create pods and Secrets, and run commands in pods.'),
    work: z
      .strictObject({
        size: size.default('10Gi').describe('The size of the claim.'),
        class: objectName.optional().describe('The StorageClass of the claim. Without it, the default of the cluster.'),
        accessMode: z
          .enum(['ReadWriteOnce', 'ReadWriteMany', 'ReadWriteOncePod'])
          .default('ReadWriteOnce')
          .describe('ReadWriteMany lets the pod of the job run on another node than its runner.'),
      })
      .optional()
      .describe(
        'A claim for each runner with the work folder, which ends with the runner. Without it, the files are copied.',
      ),
    template: z
      .strictObject({
        configMap: objectName.describe('The ConfigMap in this namespace with the template.'),
        key: dataKey.default('template.yaml').describe('The key of the template.'),
      })
      .meta(whole)
      .optional()
      .describe(
        'A PodTemplateSpec that the hooks merge over the pods of jobs. The container $job is the one of the job.',
      ),
  })
  .describe('The pods of jobs with a container. Only with jobs: pods.')

const github = z
  .strictObject({
    ...account('GitHub', 'The URL of the repository, organization or enterprise, for example https://github.com/acme.'),
    runnerGroup: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('The runner group. Without it, GitHub uses the default group.'),
    labels: z
      .array(z.string().min(1).max(128))
      .max(20)
      .meta({ 'x-kubernetes-list-type': 'set' })
      .optional()
      .describe('Labels for runs-on, in addition to the name of the set.'),
    rerun: rerun.optional(),
    ...route,
  })
  .describe('The forge of these runners is GitHub Actions.')

/** Bitbucket adds two labels of its own to each runner. */
const bitbucketLabel = z
  .string()
  .min(1)
  .max(50)
  .regex(
    /^[a-z0-9]+(\.[a-z0-9]+)*$/,
    'a label of Bitbucket must be lower-case letters and digits, with single dots between them',
  )

const bitbucket = z
  .strictObject({
    ...account('Bitbucket', 'The URL of the workspace or repository, for example https://bitbucket.org/acme.'),
    labels: z
      .array(bitbucketLabel)
      .max(12)
      .meta({ 'x-kubernetes-list-type': 'set' })
      .optional()
      .describe('Labels for runs-on, in addition to self.hosted and linux.'),
    ...route,
  })
  .describe('The forge of these runners is Bitbucket Pipelines.')

/** Gitea matches labels exactly and with case. The part after a colon is the runner's own configuration, and no label (docs/reference/gitea.md#s4-3). */
const giteaLabel = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^\s:,]+$/, 'a label of Gitea may not have spaces, ":" or ",": the image of the jobs is jobImage')

const gitea = z
  .strictObject({
    ...account(
      'Gitea',
      'The URL of the server, or of an organization, user or repository on it, for example https://gitea.example.com/acme.',
    ),
    labels: z
      .array(giteaLabel)
      .max(20)
      .meta({ 'x-kubernetes-list-type': 'set' })
      .optional()
      .describe('Labels for runs-on, in addition to the name of the set.'),
    jobImage: z
      .string()
      .min(1)
      .max(512)
      .regex(/^[^\s]+$/, 'the image may not have spaces')
      .optional()
      .describe('The image for jobs without a container of their own. Only with docker: sidecar or rootless.'),
    ...route,
  })
  .describe('The forge of these runners is Gitea or Forgejo.')

/** A share of runners or a factor, as the autoscaler's configuration has it. */
const factor = (min: number, max: number, standard: number) => z.number().min(min).max(max).default(standard)

/** Says what to do about a field that earlier versions had. */
const withoutMode: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'unrecognized_keys' && issue.keys.includes('mode')
    ? 'mode does not exist any more, because there is one way to scale: remove the field'
    : undefined

const percentageRunnersIdle = z
  .strictObject(
    {
      scaleUpThreshold: factor(0, 1, 0.8).describe('With a larger share of busy runners, the set grows.'),
      scaleDownThreshold: factor(0, 1, 0.2).describe('With a smaller share of busy runners, the set shrinks.'),
      scaleUpMultiplier: factor(1, 10, 1.5).describe('The set grows to this multiple of its online runners.'),
      scaleDownMultiplier: factor(0, 1, 0.5).describe('The set keeps this share of its idle runners.'),
      coolDown: duration.default('5m').describe('A younger runner is not ended for lack of work.'),
    },
    { error: withoutMode },
  )
  .describe('The strategy of the autoscaler of Atlassian, by the share of busy runners. Only for Bitbucket.')

const scale = z
  .strictObject({
    min: z.int32().min(0).default(0).describe('The number of idle runners in addition to the demand.'),
    max: z.int32().min(0).describe('The maximum number of runners at the same time. With 0, no runner starts.'),
    percentageRunnersIdle: percentageRunnersIdle.optional(),
    pool: pool.optional(),
    schedule: z
      .array(scheduleWindow)
      .min(1)
      .max(32)
      .optional()
      .describe('Windows of the week with a min of their own. The highest min holds if several overlap.'),
    usualDemand: usualDemand.optional(),
  })
  .describe('The limits on the number of runners.')

export const runnerSetSpecSchema = z
  .strictObject({
    github: github.optional(),
    bitbucket: bitbucket.optional(),
    gitea: gitea.optional(),
    scale,
    sizes: sizes.optional(),
    paused: z
      .boolean()
      .default(false)
      .describe('Stops the set: no runner starts, idle runners are removed, and busy runners finish their jobs.'),
    runner: runner.optional(),
    docker: z
      .enum(['none', 'sidecar', 'rootless'])
      .default('none')
      .describe('sidecar gives each runner a privileged Docker Engine of its own, and rootless one without privilege.'),
    dockerEngine: dockerEngine.optional(),
    jobs: z
      .enum(['host', 'pods'])
      .default('host')
      .describe('pods runs each job with a container in a pod of its own, without a Docker Engine. Only for GitHub.'),
    jobPods: jobPods.optional(),
    templateChecks: z
      .enum(['enforce', 'warn'])
      .default('enforce')
      .describe('warn allows a template whose pods may hang. It never allows one that the API server refuses.'),
    keepFinished: duration.default('0s').describe('How long to keep the pod of a finished runner.'),
    keepFailed: duration.default('10m').describe('How long to keep the pod of a failed runner for debugging.'),
    startMax: duration
      .default('10m')
      .describe(
        'How long an init container or the pull of an image may take, counted from its start. A sidecar has the time of its startup probe.',
      ),
    idleMax: duration
      .optional()
      .describe(
        'The maximum age of an idle runner. Dayfly replaces an older one, and leaves busy ones alone. If lifeMax is set, the default is half of it.',
      ),
    lifeMax: duration
      .optional()
      .describe(
        'The maximum age of a runner. Dayfly ends an older runner even if it is busy. Dayfly replaces an idle runner earlier (idleMax), so that a job has time.',
      ),
    objective: z
      .strictObject({
        queueTime: duration.describe(
          'How long a job should wait at most. The page, the trends and the metrics compare with it.',
        ),
      })
      .optional()
      .describe('The service that users of the set may expect. It changes no decision.'),
    template: z
      .looseObject({
        metadata: z
          .looseObject({ labels: texts.optional(), annotations: texts.optional() })
          .optional()
          .describe('Labels and annotations of the pods. Write values such as true in quotes.'),
        spec: z.looseObject({}).optional().describe('The PodSpec.'),
      })
      .optional()
      .describe(
        'A PodTemplateSpec that is merged over the default template. The container named runner is the runner.',
      ),
  })
  .describe('The configuration of the runner set.')

export type RunnerSetSpec = z.output<typeof runnerSetSpecSchema>
