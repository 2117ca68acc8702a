// How server-side apply merges Kubernetes' own lists and maps (Kubernetes 1.36.3), written by generate.go. built-in-shape.ts
// explains the format.

export const listTable = `
APIServiceStatus conditions=@type
AllocatedDeviceStatus conditions=@type
CSIDriverSpec volumeLifecycleModes=set
CSINodeSpec drivers=@name
CertificateSigningRequestStatus conditions=@type
ComponentStatus conditions=@type
ConfigMapKeySelector !
Container env=@name ports=@containerPort,protocol volumeDevices=@devicePath volumeMounts=@mountPath
ContainerRestartRuleOnExitCodes values=set
ContainerStatus allocatedResourcesStatus=@name volumeMounts=@mountPath
CrossVersionObjectReference !
CustomResourceDefinitionStatus conditions=@type
DaemonSetStatus conditions=@type
DeploymentStatus conditions=@type
Endpoint addresses=set
EndpointAddress !
EndpointPort !
EphemeralContainer env=@name ports=@containerPort,protocol volumeDevices=@devicePath volumeMounts=@mountPath
FileKeySelector !
FlowSchemaStatus conditions=@type
HorizontalPodAutoscalerStatus conditions=@type
JSONSchemaProps x-kubernetes-validations=@rule
LabelSelector !
LocalObjectReference !
MatchResources !
MutatingAdmissionPolicySpec matchConditions=@name
MutatingWebhook matchConditions=@name
MutatingWebhookConfiguration webhooks=@name
NamedRuleWithOperations !
NamespaceStatus conditions=@type
NodeAllocatableResourceClaimStatus containers=set
NodeSelector !
NodeSelectorTerm !
NodeSpec podCIDRs=set
NodeStatus addresses=@type conditions=@type
NonResourcePolicyRule nonResourceURLs=set verbs=set
ObjectFieldSelector !
ObjectMeta finalizers=set ownerReferences=@uid
ObjectReference !
OwnerReference !
ParamKind !
ParamRef !
PersistentVolumeClaimStatus conditions=@type
PodDisruptionBudgetStatus conditions=@type
PodFailurePolicyOnExitCodesRequirement values=set
PodSpec containers=@name ephemeralContainers=@name hostAliases=@ip imagePullSecrets=@name initContainers=@name nodeSelector=atomic resourceClaims=@name schedulingGates=@name topologySpreadConstraints=@topologyKey,whenUnsatisfiable volumes=@name
PodStatus conditions=@type podIPs=@ip resourceClaimStatuses=@name
PriorityLevelConfigurationStatus conditions=@type
ReplicaSetStatus conditions=@type
ReplicationControllerSpec selector=atomic
ReplicationControllerStatus conditions=@type
ResourceClaimStatus devices=@device,driver,pool,shareID reservedFor=@uid
ResourceFieldSelector !
ResourcePolicyRule apiGroups=set namespaces=set resources=set verbs=set
ResourceRequirements claims=@name
ResourceStatus resources=@resourceID
RoleRef !
Scheduling nodeSelector=atomic
ScopeSelector !
SecretKeySelector !
SecretReference !
ServiceAccount secrets=@name
ServiceBackendPort !
ServiceCIDRStatus conditions=@type
ServiceSpec ports=@port,protocol selector=atomic
ServiceStatus conditions=@type
StatefulSetStatus conditions=@type
Subject !
TopologySelectorTerm !
TypedLocalObjectReference !
UncountedTerminatedPods failed=set succeeded=set
ValidatingAdmissionPolicyBindingSpec validationActions=set
ValidatingAdmissionPolicySpec matchConditions=@name variables=@name
ValidatingAdmissionPolicyStatus conditions=@type
ValidatingWebhook matchConditions=@name
ValidatingWebhookConfiguration webhooks=@name
Variable !
`
