// Which containers are known helpers that serve until somebody ends them: proxies, log shippers, secret agents.
import { imageParts } from './daemon.ts'
import type { ContainerView, PodView } from './pod-view.ts'

/** What this container is, in words, when it is known to run for ever; undefined when it is not, or is told when to end. */
export function longLivedHelper(container: ContainerView, pod: PodView): string | undefined {
  if (container.name === pod.runner) return undefined
  const { name } = imageParts(container.image)
  const kind = kinds.find((each) => each.image.test(name) && (each.words?.test(container.words.join(' ')) ?? true))
  if (!kind) return undefined
  const everyWord = pod.containers.flatMap((each) => each.words).join(' ')
  return endings.test(everyWord) ? undefined : kind.what
}

/** The ways in which the work tells a helper to end. */
const endings =
  /quitquitquit|\/shutdown\b|exit-after-auth|exit_after_auth|linkerd-await|scuttle|envoy-preflight|pkill|killall/

const kinds: readonly { readonly what: string; readonly image: RegExp; readonly words?: RegExp }[] = [
  { what: "Istio's proxy", image: /^(istio-)?proxyv2$/ },
  { what: 'Envoy', image: /^envoy(-distroless|-alpine)?$/ },
  { what: "Linkerd's proxy", image: /^linkerd2?-proxy$/ },
  { what: 'the Cloud SQL proxy', image: /^(cloud-?sql-proxy|gce-proxy|cloud_sql_proxy)$/ },
  { what: 'the AlloyDB proxy', image: /^alloydb-auth-proxy$/ },
  { what: 'a Vault agent', image: /^vault(-enterprise)?$/, words: /\bagent\b/ },
  { what: 'Fluent Bit', image: /^(aws-for-)?fluent-bit$/ },
  { what: 'Fluentd', image: /^fluentd(-kubernetes-daemonset)?$/ },
  { what: 'Promtail', image: /^promtail$/ },
  { what: 'Filebeat', image: /^filebeat(-oss)?$/ },
  { what: 'an OpenTelemetry collector', image: /^opentelemetry-collector(-contrib|-k8s)?$/ },
  { what: 'the Datadog agent', image: /^(datadog-)?agent$/, words: /\bagent run\b/ },
]
