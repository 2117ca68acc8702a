// Kubernetes' own field names and types (k8s.io/api v0.36.3), written by generate.go. fields.ts explains the format.

export const fieldTable = `
Pod metadata!ObjectMeta spec!PodSpec status!PodStatus
Secret metadata!ObjectMeta immutable?bool data:{}bytes stringData:{}string type:$v1.SecretType
ConfigMap metadata!ObjectMeta immutable?bool data:{}string binaryData:{}bytes
Namespace metadata!ObjectMeta spec!NamespaceSpec status!NamespaceStatus
Node metadata!ObjectMeta spec!NodeSpec status!NodeStatus
Event metadata!ObjectMeta involvedObject!ObjectReference reason:string message:string source!EventSource firstTimestamp!Time lastTimestamp!Time count:int32 type:string eventTime!MicroTime series?EventSeries action:string related?ObjectReference reportingComponent!string reportingInstance!string
ServiceAccount metadata!ObjectMeta secrets:[]ObjectReference~merge@name imagePullSecrets:[]LocalObjectReference automountServiceAccountToken?bool
Binding metadata!ObjectMeta target!ObjectReference
Lease metadata!ObjectMeta spec!LeaseSpec
CustomResourceDefinition metadata!ObjectMeta spec!CustomResourceDefinitionSpec status!CustomResourceDefinitionStatus
Job metadata!ObjectMeta spec!JobSpec status!JobStatus
Deployment metadata!ObjectMeta spec!DeploymentSpec status!DeploymentStatus
Role metadata!ObjectMeta rules![]PolicyRule
RoleBinding metadata!ObjectMeta subjects:[]Subject roleRef!RoleRef
ClusterRole metadata!ObjectMeta rules![]PolicyRule aggregationRule?AggregationRule
ClusterRoleBinding metadata!ObjectMeta subjects:[]Subject roleRef!RoleRef
CronJob metadata!ObjectMeta spec!CronJobSpec status!CronJobStatus
DaemonSet metadata!ObjectMeta spec!DaemonSetSpec status!DaemonSetStatus
StatefulSet metadata!ObjectMeta spec!StatefulSetSpec status!StatefulSetStatus
ReplicaSet metadata!ObjectMeta spec!ReplicaSetSpec status!ReplicaSetStatus
PodDisruptionBudget metadata!ObjectMeta spec!PodDisruptionBudgetSpec status!PodDisruptionBudgetStatus
MutatingWebhookConfiguration metadata!ObjectMeta webhooks:[]MutatingWebhook~merge@name
SelfSubjectAccessReview metadata!ObjectMeta spec!SelfSubjectAccessReviewSpec status!SubjectAccessReviewStatus
Service metadata!ObjectMeta spec!ServiceSpec status!ServiceStatus
Endpoints metadata!ObjectMeta subsets:[]EndpointSubset
PersistentVolumeClaim metadata!ObjectMeta spec!PersistentVolumeClaimSpec status!PersistentVolumeClaimStatus
PersistentVolume metadata!ObjectMeta spec!PersistentVolumeSpec status!PersistentVolumeStatus
ResourceQuota metadata!ObjectMeta spec!ResourceQuotaSpec status!ResourceQuotaStatus
LimitRange metadata!ObjectMeta spec!LimitRangeSpec
NetworkPolicy metadata!ObjectMeta spec!NetworkPolicySpec
Ingress metadata!ObjectMeta spec!IngressSpec status!IngressStatus
IngressClass metadata!ObjectMeta spec!IngressClassSpec
EndpointSlice metadata!ObjectMeta addressType!$v1.AddressType endpoints![]Endpoint ports![]EndpointPort
PriorityClass metadata!ObjectMeta value!int32 globalDefault:bool description:string preemptionPolicy?$v1.PreemptionPolicy
StorageClass metadata!ObjectMeta provisioner!string parameters:{}string reclaimPolicy?$v1.PersistentVolumeReclaimPolicy mountOptions:[]string allowVolumeExpansion?bool volumeBindingMode?$v1.VolumeBindingMode allowedTopologies:[]TopologySelectorTerm
ValidatingWebhookConfiguration metadata!ObjectMeta webhooks:[]ValidatingWebhook~merge@name
ValidatingAdmissionPolicy metadata!ObjectMeta spec!ValidatingAdmissionPolicySpec status!ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyBinding metadata!ObjectMeta spec!ValidatingAdmissionPolicyBindingSpec
TokenRequest metadata!ObjectMeta spec!TokenRequestSpec status!TokenRequestStatus
TokenReview metadata!ObjectMeta spec!TokenReviewSpec status!TokenReviewStatus
SubjectAccessReview metadata!ObjectMeta spec!SubjectAccessReviewSpec status!SubjectAccessReviewStatus
SelfSubjectRulesReview metadata!ObjectMeta spec!SelfSubjectRulesReviewSpec status!SubjectRulesReviewStatus
Scale metadata!ObjectMeta spec!ScaleSpec status!ScaleStatus
Eviction metadata!ObjectMeta deleteOptions?DeleteOptions
ObjectMeta name:string generateName:string namespace:string selfLink:string uid:$types.UID resourceVersion:string generation:int64 creationTimestamp:Time deletionTimestamp?Time deletionGracePeriodSeconds?int64 labels:{}string annotations:{}string ownerReferences:[]OwnerReference~merge@uid finalizers:[]string~merge managedFields:[]ManagedFieldsEntry
PodSpec volumes:[]Volume~merge,retainKeys@name initContainers:[]Container~merge@name containers![]Container~merge@name ephemeralContainers:[]EphemeralContainer~merge@name restartPolicy:$v1.RestartPolicy terminationGracePeriodSeconds?int64 activeDeadlineSeconds?int64 dnsPolicy:$v1.DNSPolicy nodeSelector:{}string serviceAccountName:string serviceAccount:string automountServiceAccountToken?bool nodeName:string hostNetwork:bool hostPID:bool hostIPC:bool shareProcessNamespace?bool securityContext?PodSecurityContext imagePullSecrets:[]LocalObjectReference~merge@name hostname:string subdomain:string affinity?Affinity schedulerName:string tolerations:[]Toleration hostAliases:[]HostAlias~merge@ip priorityClassName:string priority?int32 dnsConfig?PodDNSConfig readinessGates:[]PodReadinessGate runtimeClassName?string enableServiceLinks?bool preemptionPolicy?$v1.PreemptionPolicy overhead:{}Quantity topologySpreadConstraints:[]TopologySpreadConstraint~merge@topologyKey setHostnameAsFQDN?bool os?PodOS hostUsers?bool schedulingGates:[]PodSchedulingGate~merge@name resourceClaims:[]PodResourceClaim~merge,retainKeys@name resources?ResourceRequirements hostnameOverride?string schedulingGroup?PodSchedulingGroup
PodStatus observedGeneration:int64 phase:$v1.PodPhase conditions:[]PodCondition~merge@type message:string reason:string nominatedNodeName:string hostIP:string hostIPs:[]HostIP~merge@ip podIP:string podIPs:[]PodIP~merge@ip startTime?Time initContainerStatuses:[]ContainerStatus containerStatuses:[]ContainerStatus qosClass:$v1.PodQOSClass ephemeralContainerStatuses:[]ContainerStatus resize:$v1.PodResizeStatus resourceClaimStatuses:[]PodResourceClaimStatus~merge,retainKeys@name extendedResourceClaimStatus?PodExtendedResourceClaimStatus allocatedResources:{}Quantity resources?ResourceRequirements nodeAllocatableResourceClaimStatuses:[]NodeAllocatableResourceClaimStatus
NamespaceSpec finalizers:[]$v1.FinalizerName
NamespaceStatus phase:$v1.NamespacePhase conditions:[]NamespaceCondition~merge@type
NodeSpec podCIDR:string podCIDRs:[]string~merge providerID:string unschedulable:bool taints:[]Taint configSource?NodeConfigSource externalID:string
NodeStatus capacity:{}Quantity allocatable:{}Quantity phase:$v1.NodePhase conditions:[]NodeCondition~merge@type addresses:[]NodeAddress~merge@type daemonEndpoints!NodeDaemonEndpoints nodeInfo!NodeSystemInfo images:[]ContainerImage volumesInUse:[]$v1.UniqueVolumeName volumesAttached:[]AttachedVolume config?NodeConfigStatus runtimeHandlers:[]NodeRuntimeHandler features?NodeFeatures declaredFeatures:[]string
ObjectReference kind:string namespace:string name:string uid:$types.UID apiVersion:string resourceVersion:string fieldPath:string
EventSource component:string host:string
EventSeries count:int32 lastObservedTime!MicroTime
LocalObjectReference name:string
LeaseSpec holderIdentity?string leaseDurationSeconds?int32 acquireTime?MicroTime renewTime?MicroTime leaseTransitions?int32 strategy?$v1.CoordinatedLeaseStrategy preferredHolder?string
CustomResourceDefinitionSpec group!string names!CustomResourceDefinitionNames scope!$v1.ResourceScope versions![]CustomResourceDefinitionVersion conversion?CustomResourceConversion preserveUnknownFields:bool
CustomResourceDefinitionStatus conditions![]CustomResourceDefinitionCondition acceptedNames!CustomResourceDefinitionNames storedVersions![]string observedGeneration:int64
JobSpec parallelism?int32 completions?int32 activeDeadlineSeconds?int64 podFailurePolicy?PodFailurePolicy successPolicy?SuccessPolicy backoffLimit?int32 backoffLimitPerIndex?int32 maxFailedIndexes?int32 selector?LabelSelector manualSelector?bool template!PodTemplateSpec ttlSecondsAfterFinished?int32 completionMode?$v1.CompletionMode suspend?bool podReplacementPolicy?$v1.PodReplacementPolicy managedBy?string
JobStatus conditions:[]JobCondition~merge@type startTime?Time completionTime?Time active:int32 succeeded:int32 failed:int32 terminating?int32 completedIndexes:string failedIndexes?string uncountedTerminatedPods?UncountedTerminatedPods ready?int32
DeploymentSpec replicas?int32 selector?LabelSelector template!PodTemplateSpec strategy!DeploymentStrategy~retainKeys minReadySeconds:int32 revisionHistoryLimit?int32 paused:bool progressDeadlineSeconds?int32
DeploymentStatus observedGeneration:int64 replicas:int32 updatedReplicas:int32 readyReplicas:int32 availableReplicas:int32 unavailableReplicas:int32 terminatingReplicas?int32 conditions:[]DeploymentCondition~merge@type collisionCount?int32
PolicyRule verbs![]string apiGroups:[]string resources:[]string resourceNames:[]string nonResourceURLs:[]string
Subject kind!string apiGroup:string name!string namespace:string
RoleRef apiGroup!string kind!string name!string
AggregationRule clusterRoleSelectors:[]LabelSelector
CronJobSpec schedule!string timeZone?string startingDeadlineSeconds?int64 concurrencyPolicy:$v1.ConcurrencyPolicy suspend?bool jobTemplate!JobTemplateSpec successfulJobsHistoryLimit?int32 failedJobsHistoryLimit?int32
CronJobStatus active:[]ObjectReference lastScheduleTime?Time lastSuccessfulTime?Time
DaemonSetSpec selector?LabelSelector template!PodTemplateSpec updateStrategy!DaemonSetUpdateStrategy minReadySeconds:int32 revisionHistoryLimit?int32
DaemonSetStatus currentNumberScheduled!int32 numberMisscheduled!int32 desiredNumberScheduled!int32 numberReady!int32 observedGeneration:int64 updatedNumberScheduled:int32 numberAvailable:int32 numberUnavailable:int32 collisionCount?int32 conditions:[]DaemonSetCondition~merge@type
StatefulSetSpec replicas?int32 selector?LabelSelector template!PodTemplateSpec volumeClaimTemplates:[]PersistentVolumeClaim serviceName!string podManagementPolicy:$v1.PodManagementPolicyType updateStrategy!StatefulSetUpdateStrategy revisionHistoryLimit?int32 minReadySeconds:int32 persistentVolumeClaimRetentionPolicy?StatefulSetPersistentVolumeClaimRetentionPolicy ordinals?StatefulSetOrdinals
StatefulSetStatus observedGeneration:int64 replicas!int32 readyReplicas:int32 currentReplicas:int32 updatedReplicas:int32 currentRevision:string updateRevision:string collisionCount?int32 conditions:[]StatefulSetCondition~merge@type availableReplicas!int32
ReplicaSetSpec replicas?int32 minReadySeconds:int32 selector?LabelSelector template!PodTemplateSpec
ReplicaSetStatus replicas!int32 fullyLabeledReplicas:int32 readyReplicas:int32 availableReplicas:int32 terminatingReplicas?int32 observedGeneration:int64 conditions:[]ReplicaSetCondition~merge@type
PodDisruptionBudgetSpec minAvailable?IntOrString selector?LabelSelector~replace maxUnavailable?IntOrString unhealthyPodEvictionPolicy?$v1.UnhealthyPodEvictionPolicyType
PodDisruptionBudgetStatus observedGeneration:int64 disruptedPods:{}Time disruptionsAllowed!int32 currentHealthy!int32 desiredHealthy!int32 expectedPods!int32 conditions:[]Condition~merge@type
MutatingWebhook name!string clientConfig!WebhookClientConfig rules:[]RuleWithOperations failurePolicy?$v1.FailurePolicyType matchPolicy?$v1.MatchPolicyType namespaceSelector?LabelSelector objectSelector?LabelSelector sideEffects?$v1.SideEffectClass timeoutSeconds?int32 admissionReviewVersions![]string reinvocationPolicy?$v1.ReinvocationPolicyType matchConditions:[]MatchCondition~merge@name
SelfSubjectAccessReviewSpec resourceAttributes?ResourceAttributes nonResourceAttributes?NonResourceAttributes
SubjectAccessReviewStatus allowed!bool denied:bool reason:string evaluationError:string
ServiceSpec ports:[]ServicePort~merge@port selector:{}string clusterIP:string clusterIPs:[]string type:$v1.ServiceType externalIPs:[]string sessionAffinity:$v1.ServiceAffinity loadBalancerIP:string loadBalancerSourceRanges:[]string externalName:string externalTrafficPolicy:$v1.ServiceExternalTrafficPolicy healthCheckNodePort:int32 publishNotReadyAddresses:bool sessionAffinityConfig?SessionAffinityConfig ipFamilies:[]$v1.IPFamily ipFamilyPolicy?$v1.IPFamilyPolicy allocateLoadBalancerNodePorts?bool loadBalancerClass?string internalTrafficPolicy?$v1.ServiceInternalTrafficPolicy trafficDistribution?string
ServiceStatus loadBalancer!LoadBalancerStatus conditions:[]Condition~merge@type
EndpointSubset addresses:[]EndpointAddress notReadyAddresses:[]EndpointAddress ports:[]EndpointPort
PersistentVolumeClaimSpec accessModes:[]$v1.PersistentVolumeAccessMode selector?LabelSelector resources!VolumeResourceRequirements volumeName:string storageClassName?string volumeMode?$v1.PersistentVolumeMode dataSource?TypedLocalObjectReference dataSourceRef?TypedObjectReference volumeAttributesClassName?string
PersistentVolumeClaimStatus phase:$v1.PersistentVolumeClaimPhase accessModes:[]$v1.PersistentVolumeAccessMode capacity:{}Quantity conditions:[]PersistentVolumeClaimCondition~merge@type allocatedResources:{}Quantity allocatedResourceStatuses:{}$v1.ClaimResourceStatus currentVolumeAttributesClassName?string modifyVolumeStatus?ModifyVolumeStatus
PersistentVolumeSpec capacity:{}Quantity PersistentVolumeSource|gcePersistentDisk?GCEPersistentDiskVolumeSource PersistentVolumeSource|awsElasticBlockStore?AWSElasticBlockStoreVolumeSource PersistentVolumeSource|hostPath?HostPathVolumeSource PersistentVolumeSource|glusterfs?GlusterfsPersistentVolumeSource PersistentVolumeSource|nfs?NFSVolumeSource PersistentVolumeSource|rbd?RBDPersistentVolumeSource PersistentVolumeSource|iscsi?ISCSIPersistentVolumeSource PersistentVolumeSource|cinder?CinderPersistentVolumeSource PersistentVolumeSource|cephfs?CephFSPersistentVolumeSource PersistentVolumeSource|fc?FCVolumeSource PersistentVolumeSource|flocker?FlockerVolumeSource PersistentVolumeSource|flexVolume?FlexPersistentVolumeSource PersistentVolumeSource|azureFile?AzureFilePersistentVolumeSource PersistentVolumeSource|vsphereVolume?VsphereVirtualDiskVolumeSource PersistentVolumeSource|quobyte?QuobyteVolumeSource PersistentVolumeSource|azureDisk?AzureDiskVolumeSource PersistentVolumeSource|photonPersistentDisk?PhotonPersistentDiskVolumeSource PersistentVolumeSource|portworxVolume?PortworxVolumeSource PersistentVolumeSource|scaleIO?ScaleIOPersistentVolumeSource PersistentVolumeSource|local?LocalVolumeSource PersistentVolumeSource|storageos?StorageOSPersistentVolumeSource PersistentVolumeSource|csi?CSIPersistentVolumeSource accessModes:[]$v1.PersistentVolumeAccessMode claimRef?ObjectReference persistentVolumeReclaimPolicy:$v1.PersistentVolumeReclaimPolicy storageClassName:string mountOptions:[]string volumeMode?$v1.PersistentVolumeMode nodeAffinity?VolumeNodeAffinity volumeAttributesClassName?string
PersistentVolumeStatus phase:$v1.PersistentVolumePhase message:string reason:string lastPhaseTransitionTime?Time
ResourceQuotaSpec hard:{}Quantity scopes:[]$v1.ResourceQuotaScope scopeSelector?ScopeSelector
ResourceQuotaStatus hard:{}Quantity used:{}Quantity
LimitRangeSpec limits![]LimitRangeItem
NetworkPolicySpec podSelector!LabelSelector ingress:[]NetworkPolicyIngressRule egress:[]NetworkPolicyEgressRule policyTypes:[]$v1.PolicyType
IngressSpec ingressClassName?string defaultBackend?IngressBackend tls:[]IngressTLS rules:[]IngressRule
IngressStatus loadBalancer!IngressLoadBalancerStatus
IngressClassSpec controller:string parameters?IngressClassParametersReference
Endpoint addresses![]string conditions!EndpointConditions hostname?string targetRef?ObjectReference deprecatedTopology:{}string nodeName?string zone?string hints?EndpointHints
EndpointPort name?string protocol?$v1.Protocol port?int32 appProtocol?string
TopologySelectorTerm matchLabelExpressions:[]TopologySelectorLabelRequirement
ValidatingWebhook name!string clientConfig!WebhookClientConfig rules:[]RuleWithOperations failurePolicy?$v1.FailurePolicyType matchPolicy?$v1.MatchPolicyType namespaceSelector?LabelSelector objectSelector?LabelSelector sideEffects?$v1.SideEffectClass timeoutSeconds?int32 admissionReviewVersions![]string matchConditions:[]MatchCondition~merge@name
ValidatingAdmissionPolicySpec paramKind?ParamKind matchConstraints?MatchResources validations:[]Validation failurePolicy?$v1.FailurePolicyType auditAnnotations:[]AuditAnnotation matchConditions:[]MatchCondition~merge@name variables:[]Variable~merge@name
ValidatingAdmissionPolicyStatus observedGeneration:int64 typeChecking?TypeChecking conditions:[]Condition
ValidatingAdmissionPolicyBindingSpec policyName:string paramRef?ParamRef matchResources?MatchResources validationActions:[]$v1.ValidationAction
TokenRequestSpec audiences![]string expirationSeconds?int64 boundObjectRef?BoundObjectReference
TokenRequestStatus token!string expirationTimestamp!Time
TokenReviewSpec token:string audiences:[]string
TokenReviewStatus authenticated:bool user!UserInfo audiences:[]string error:string
SubjectAccessReviewSpec resourceAttributes?ResourceAttributes nonResourceAttributes?NonResourceAttributes user:string groups:[]string extra:{}[]string uid:string
SelfSubjectRulesReviewSpec namespace:string
SubjectRulesReviewStatus resourceRules![]ResourceRule nonResourceRules![]NonResourceRule incomplete!bool evaluationError:string
ScaleSpec replicas:int32
ScaleStatus replicas!int32 selector:string
DeleteOptions gracePeriodSeconds?int64 preconditions?Preconditions orphanDependents?bool propagationPolicy?$v1.DeletionPropagation dryRun:[]string ignoreStoreReadErrorWithClusterBreakingPotential?bool
OwnerReference apiVersion!string kind!string name!string uid!$types.UID controller?bool blockOwnerDeletion?bool
ManagedFieldsEntry manager:string operation:$v1.ManagedFieldsOperationType apiVersion:string time?Time fieldsType:string fieldsV1?any subresource:string
Volume name!string VolumeSource|hostPath?HostPathVolumeSource VolumeSource|emptyDir?EmptyDirVolumeSource VolumeSource|gcePersistentDisk?GCEPersistentDiskVolumeSource VolumeSource|awsElasticBlockStore?AWSElasticBlockStoreVolumeSource VolumeSource|gitRepo?GitRepoVolumeSource VolumeSource|secret?SecretVolumeSource VolumeSource|nfs?NFSVolumeSource VolumeSource|iscsi?ISCSIVolumeSource VolumeSource|glusterfs?GlusterfsVolumeSource VolumeSource|persistentVolumeClaim?PersistentVolumeClaimVolumeSource VolumeSource|rbd?RBDVolumeSource VolumeSource|flexVolume?FlexVolumeSource VolumeSource|cinder?CinderVolumeSource VolumeSource|cephfs?CephFSVolumeSource VolumeSource|flocker?FlockerVolumeSource VolumeSource|downwardAPI?DownwardAPIVolumeSource VolumeSource|fc?FCVolumeSource VolumeSource|azureFile?AzureFileVolumeSource VolumeSource|configMap?ConfigMapVolumeSource VolumeSource|vsphereVolume?VsphereVirtualDiskVolumeSource VolumeSource|quobyte?QuobyteVolumeSource VolumeSource|azureDisk?AzureDiskVolumeSource VolumeSource|photonPersistentDisk?PhotonPersistentDiskVolumeSource VolumeSource|projected?ProjectedVolumeSource VolumeSource|portworxVolume?PortworxVolumeSource VolumeSource|scaleIO?ScaleIOVolumeSource VolumeSource|storageos?StorageOSVolumeSource VolumeSource|csi?CSIVolumeSource VolumeSource|ephemeral?EphemeralVolumeSource VolumeSource|image?ImageVolumeSource
Container name!string image:string command:[]string args:[]string workingDir:string ports:[]ContainerPort~merge@containerPort envFrom:[]EnvFromSource env:[]EnvVar~merge@name resources!ResourceRequirements resizePolicy:[]ContainerResizePolicy restartPolicy?$v1.ContainerRestartPolicy restartPolicyRules:[]ContainerRestartRule volumeMounts:[]VolumeMount~merge@mountPath volumeDevices:[]VolumeDevice~merge@devicePath livenessProbe?Probe readinessProbe?Probe startupProbe?Probe lifecycle?Lifecycle terminationMessagePath:string terminationMessagePolicy:$v1.TerminationMessagePolicy imagePullPolicy:$v1.PullPolicy securityContext?SecurityContext stdin:bool stdinOnce:bool tty:bool
EphemeralContainer EphemeralContainerCommon|name!string EphemeralContainerCommon|image:string EphemeralContainerCommon|command:[]string EphemeralContainerCommon|args:[]string EphemeralContainerCommon|workingDir:string EphemeralContainerCommon|ports:[]ContainerPort~merge@containerPort EphemeralContainerCommon|envFrom:[]EnvFromSource EphemeralContainerCommon|env:[]EnvVar~merge@name EphemeralContainerCommon|resources!ResourceRequirements EphemeralContainerCommon|resizePolicy:[]ContainerResizePolicy EphemeralContainerCommon|restartPolicy?$v1.ContainerRestartPolicy EphemeralContainerCommon|restartPolicyRules:[]ContainerRestartRule EphemeralContainerCommon|volumeMounts:[]VolumeMount~merge@mountPath EphemeralContainerCommon|volumeDevices:[]VolumeDevice~merge@devicePath EphemeralContainerCommon|livenessProbe?Probe EphemeralContainerCommon|readinessProbe?Probe EphemeralContainerCommon|startupProbe?Probe EphemeralContainerCommon|lifecycle?Lifecycle EphemeralContainerCommon|terminationMessagePath:string EphemeralContainerCommon|terminationMessagePolicy:$v1.TerminationMessagePolicy EphemeralContainerCommon|imagePullPolicy:$v1.PullPolicy EphemeralContainerCommon|securityContext?SecurityContext EphemeralContainerCommon|stdin:bool EphemeralContainerCommon|stdinOnce:bool EphemeralContainerCommon|tty:bool targetContainerName:string
PodSecurityContext seLinuxOptions?SELinuxOptions windowsOptions?WindowsSecurityContextOptions runAsUser?int64 runAsGroup?int64 runAsNonRoot?bool supplementalGroups:[]int64 supplementalGroupsPolicy?$v1.SupplementalGroupsPolicy fsGroup?int64 sysctls:[]Sysctl fsGroupChangePolicy?$v1.PodFSGroupChangePolicy seccompProfile?SeccompProfile appArmorProfile?AppArmorProfile seLinuxChangePolicy?$v1.PodSELinuxChangePolicy
Affinity nodeAffinity?NodeAffinity podAffinity?PodAffinity podAntiAffinity?PodAntiAffinity
Toleration key:string operator:$v1.TolerationOperator value:string effect:$v1.TaintEffect tolerationSeconds?int64
HostAlias ip!string hostnames:[]string
PodDNSConfig nameservers:[]string searches:[]string options:[]PodDNSConfigOption
PodReadinessGate conditionType!$v1.PodConditionType
TopologySpreadConstraint maxSkew!int32 topologyKey!string whenUnsatisfiable!$v1.UnsatisfiableConstraintAction labelSelector?LabelSelector minDomains?int32 nodeAffinityPolicy?$v1.NodeInclusionPolicy nodeTaintsPolicy?$v1.NodeInclusionPolicy matchLabelKeys:[]string
PodOS name!$v1.OSName
PodSchedulingGate name!string
PodResourceClaim name!string resourceClaimName?string resourceClaimTemplateName?string
ResourceRequirements limits:{}Quantity requests:{}Quantity claims:[]ResourceClaim
PodSchedulingGroup podGroupName?string
PodCondition type!$v1.PodConditionType observedGeneration:int64 status!$v1.ConditionStatus lastProbeTime!Time lastTransitionTime!Time reason:string message:string
HostIP ip!string
PodIP ip!string
ContainerStatus name!string state!ContainerState lastState!ContainerState ready!bool restartCount!int32 image!string imageID!string containerID:string started?bool allocatedResources:{}Quantity resources?ResourceRequirements volumeMounts:[]VolumeMountStatus~merge@mountPath user?ContainerUser allocatedResourcesStatus:[]ResourceStatus~merge@name stopSignal?$v1.Signal
PodResourceClaimStatus name!string resourceClaimName?string
PodExtendedResourceClaimStatus requestMappings![]ContainerExtendedResourceRequest resourceClaimName!string
NodeAllocatableResourceClaimStatus resourceClaimName!string containers:[]string resources!{}Quantity
NamespaceCondition type!$v1.NamespaceConditionType status!$v1.ConditionStatus lastTransitionTime!Time reason:string message:string
Taint key!string value:string effect!$v1.TaintEffect timeAdded?Time
NodeConfigSource configMap?ConfigMapNodeConfigSource
NodeCondition type!$v1.NodeConditionType status!$v1.ConditionStatus lastHeartbeatTime!Time lastTransitionTime!Time reason:string message:string
NodeAddress type!$v1.NodeAddressType address!string
NodeDaemonEndpoints kubeletEndpoint!DaemonEndpoint
NodeSystemInfo machineID!string systemUUID!string bootID!string kernelVersion!string osImage!string containerRuntimeVersion!string kubeletVersion!string kubeProxyVersion!string operatingSystem!string architecture!string swap?NodeSwapStatus
ContainerImage names![]string sizeBytes:int64
AttachedVolume name!$v1.UniqueVolumeName devicePath!string
NodeConfigStatus assigned?NodeConfigSource active?NodeConfigSource lastKnownGood?NodeConfigSource error:string
NodeRuntimeHandler name!string features?NodeRuntimeHandlerFeatures
NodeFeatures supplementalGroupsPolicy?bool
CustomResourceDefinitionNames plural!string singular:string shortNames:[]string kind!string listKind:string categories:[]string
CustomResourceDefinitionVersion name!string served!bool storage!bool deprecated:bool deprecationWarning?string schema?CustomResourceValidation subresources?CustomResourceSubresources additionalPrinterColumns:[]CustomResourceColumnDefinition selectableFields:[]SelectableField
CustomResourceConversion strategy!$v1.ConversionStrategyType webhook?WebhookConversion
CustomResourceDefinitionCondition type!$v1.CustomResourceDefinitionConditionType status!$v1.ConditionStatus lastTransitionTime!Time reason:string message:string observedGeneration:int64
PodFailurePolicy rules![]PodFailurePolicyRule
SuccessPolicy rules![]SuccessPolicyRule
LabelSelector matchLabels:{}string matchExpressions:[]LabelSelectorRequirement
PodTemplateSpec metadata!ObjectMeta spec!PodSpec
JobCondition type!$v1.JobConditionType status!$v1.ConditionStatus lastProbeTime!Time lastTransitionTime!Time reason:string message:string
UncountedTerminatedPods succeeded:[]$types.UID failed:[]$types.UID
DeploymentStrategy type:$v1.DeploymentStrategyType rollingUpdate?RollingUpdateDeployment
DeploymentCondition type!$v1.DeploymentConditionType status!$v1.ConditionStatus lastUpdateTime!Time lastTransitionTime!Time reason:string message:string
JobTemplateSpec metadata!ObjectMeta spec!JobSpec
DaemonSetUpdateStrategy type:$v1.DaemonSetUpdateStrategyType rollingUpdate?RollingUpdateDaemonSet
DaemonSetCondition type!$v1.DaemonSetConditionType status!$v1.ConditionStatus lastTransitionTime!Time reason:string message:string
StatefulSetUpdateStrategy type:$v1.StatefulSetUpdateStrategyType rollingUpdate?RollingUpdateStatefulSetStrategy
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:$v1.PersistentVolumeClaimRetentionPolicyType whenScaled:$v1.PersistentVolumeClaimRetentionPolicyType
StatefulSetOrdinals start!int32
StatefulSetCondition type!$v1.StatefulSetConditionType status!$v1.ConditionStatus lastTransitionTime!Time reason:string message:string
ReplicaSetCondition type!$v1.ReplicaSetConditionType status!$v1.ConditionStatus lastTransitionTime!Time reason:string message:string
Condition type!string status!$v1.ConditionStatus observedGeneration:int64 lastTransitionTime!Time reason!string message!string
WebhookClientConfig url?string service?ServiceReference caBundle:bytes
RuleWithOperations operations:[]$v1.OperationType Rule|apiGroups:[]string Rule|apiVersions:[]string Rule|resources:[]string Rule|scope?$v1.ScopeType
MatchCondition name!string expression!string
ResourceAttributes namespace:string verb:string group:string version:string resource:string subresource:string name:string fieldSelector?FieldSelectorAttributes labelSelector?LabelSelectorAttributes
NonResourceAttributes path:string verb:string
ServicePort name:string protocol:$v1.Protocol appProtocol?string port!int32 targetPort!IntOrString nodePort:int32
SessionAffinityConfig clientIP?ClientIPConfig
LoadBalancerStatus ingress:[]LoadBalancerIngress
EndpointAddress ip!string hostname:string nodeName?string targetRef?ObjectReference
VolumeResourceRequirements limits:{}Quantity requests:{}Quantity
TypedLocalObjectReference apiGroup?string kind!string name!string
TypedObjectReference apiGroup?string kind!string name!string namespace?string
PersistentVolumeClaimCondition type!$v1.PersistentVolumeClaimConditionType status!$v1.ConditionStatus lastProbeTime!Time lastTransitionTime!Time reason:string message:string
ModifyVolumeStatus targetVolumeAttributesClassName:string status!$v1.PersistentVolumeClaimModifyVolumeStatus
GCEPersistentDiskVolumeSource pdName!string fsType:string partition:int32 readOnly:bool
AWSElasticBlockStoreVolumeSource volumeID!string fsType:string partition:int32 readOnly:bool
HostPathVolumeSource path!string type?$v1.HostPathType
GlusterfsPersistentVolumeSource endpoints!string path!string readOnly:bool endpointsNamespace?string
NFSVolumeSource server!string path!string readOnly:bool
RBDPersistentVolumeSource monitors![]string image!string fsType:string pool:string user:string keyring:string secretRef?SecretReference readOnly:bool
ISCSIPersistentVolumeSource targetPortal!string iqn!string lun!int32 iscsiInterface:string fsType:string readOnly:bool portals:[]string chapAuthDiscovery:bool chapAuthSession:bool secretRef?SecretReference initiatorName?string
CinderPersistentVolumeSource volumeID!string fsType:string readOnly:bool secretRef?SecretReference
CephFSPersistentVolumeSource monitors![]string path:string user:string secretFile:string secretRef?SecretReference readOnly:bool
FCVolumeSource targetWWNs:[]string lun?int32 fsType:string readOnly:bool wwids:[]string
FlockerVolumeSource datasetName:string datasetUUID:string
FlexPersistentVolumeSource driver!string fsType:string secretRef?SecretReference readOnly:bool options:{}string
AzureFilePersistentVolumeSource secretName!string shareName!string readOnly:bool secretNamespace?string
VsphereVirtualDiskVolumeSource volumePath!string fsType:string storagePolicyName:string storagePolicyID:string
QuobyteVolumeSource registry!string volume!string readOnly:bool user:string group:string tenant:string
AzureDiskVolumeSource diskName!string diskURI!string cachingMode?$v1.AzureDataDiskCachingMode fsType?string readOnly?bool kind?$v1.AzureDataDiskKind
PhotonPersistentDiskVolumeSource pdID!string fsType:string
PortworxVolumeSource volumeID!string fsType:string readOnly:bool
ScaleIOPersistentVolumeSource gateway!string system!string secretRef?SecretReference sslEnabled:bool protectionDomain:string storagePool:string storageMode:string volumeName:string fsType:string readOnly:bool
LocalVolumeSource path!string fsType?string
StorageOSPersistentVolumeSource volumeName:string volumeNamespace:string fsType:string readOnly:bool secretRef?ObjectReference
CSIPersistentVolumeSource driver!string volumeHandle!string readOnly:bool fsType:string volumeAttributes:{}string controllerPublishSecretRef?SecretReference nodeStageSecretRef?SecretReference nodePublishSecretRef?SecretReference controllerExpandSecretRef?SecretReference nodeExpandSecretRef?SecretReference
VolumeNodeAffinity required?NodeSelector
ScopeSelector matchExpressions:[]ScopedResourceSelectorRequirement
LimitRangeItem type!$v1.LimitType max:{}Quantity min:{}Quantity default:{}Quantity defaultRequest:{}Quantity maxLimitRequestRatio:{}Quantity
NetworkPolicyIngressRule ports:[]NetworkPolicyPort from:[]NetworkPolicyPeer
NetworkPolicyEgressRule ports:[]NetworkPolicyPort to:[]NetworkPolicyPeer
IngressBackend service?IngressServiceBackend resource?TypedLocalObjectReference
IngressTLS hosts:[]string secretName:string
IngressRule host:string IngressRuleValue|http?HTTPIngressRuleValue
IngressLoadBalancerStatus ingress:[]IngressLoadBalancerIngress
IngressClassParametersReference apiGroup?string kind!string name!string scope?string namespace?string
EndpointConditions ready?bool serving?bool terminating?bool
EndpointHints forZones:[]ForZone forNodes:[]ForNode
TopologySelectorLabelRequirement key!string values![]string
ParamKind apiVersion:string kind:string
MatchResources namespaceSelector?LabelSelector objectSelector?LabelSelector resourceRules:[]NamedRuleWithOperations excludeResourceRules:[]NamedRuleWithOperations matchPolicy?$v1.MatchPolicyType
Validation expression!string message:string reason?$v1.StatusReason messageExpression:string
AuditAnnotation key!string valueExpression!string
Variable name!string expression!string
TypeChecking expressionWarnings:[]ExpressionWarning
ParamRef name:string namespace:string selector?LabelSelector parameterNotFoundAction?$v1.ParameterNotFoundActionType
BoundObjectReference kind:string apiVersion:string name:string uid:$types.UID
UserInfo username:string uid:string groups:[]string extra:{}[]string
ResourceRule verbs![]string apiGroups:[]string resources:[]string resourceNames:[]string
NonResourceRule verbs![]string nonResourceURLs:[]string
Preconditions uid?$types.UID resourceVersion?string
EmptyDirVolumeSource medium:$v1.StorageMedium sizeLimit?Quantity
GitRepoVolumeSource repository!string revision:string directory:string
SecretVolumeSource secretName:string items:[]KeyToPath defaultMode?int32 optional?bool
ISCSIVolumeSource targetPortal!string iqn!string lun!int32 iscsiInterface:string fsType:string readOnly:bool portals:[]string chapAuthDiscovery:bool chapAuthSession:bool secretRef?LocalObjectReference initiatorName?string
GlusterfsVolumeSource endpoints!string path!string readOnly:bool
PersistentVolumeClaimVolumeSource claimName!string readOnly:bool
RBDVolumeSource monitors![]string image!string fsType:string pool:string user:string keyring:string secretRef?LocalObjectReference readOnly:bool
FlexVolumeSource driver!string fsType:string secretRef?LocalObjectReference readOnly:bool options:{}string
CinderVolumeSource volumeID!string fsType:string readOnly:bool secretRef?LocalObjectReference
CephFSVolumeSource monitors![]string path:string user:string secretFile:string secretRef?LocalObjectReference readOnly:bool
DownwardAPIVolumeSource items:[]DownwardAPIVolumeFile defaultMode?int32
AzureFileVolumeSource secretName!string shareName!string readOnly:bool
ConfigMapVolumeSource LocalObjectReference|name:string items:[]KeyToPath defaultMode?int32 optional?bool
ProjectedVolumeSource sources![]VolumeProjection defaultMode?int32
ScaleIOVolumeSource gateway!string system!string secretRef?LocalObjectReference sslEnabled:bool protectionDomain:string storagePool:string storageMode:string volumeName:string fsType:string readOnly:bool
StorageOSVolumeSource volumeName:string volumeNamespace:string fsType:string readOnly:bool secretRef?LocalObjectReference
CSIVolumeSource driver!string readOnly?bool fsType?string volumeAttributes:{}string nodePublishSecretRef?LocalObjectReference
EphemeralVolumeSource volumeClaimTemplate?PersistentVolumeClaimTemplate
ImageVolumeSource reference:string pullPolicy:$v1.PullPolicy
ContainerPort name:string hostPort:int32 containerPort!int32 protocol:$v1.Protocol hostIP:string
EnvFromSource prefix:string configMapRef?ConfigMapEnvSource secretRef?SecretEnvSource
EnvVar name!string value:string valueFrom?EnvVarSource
ContainerResizePolicy resourceName!$v1.ResourceName restartPolicy!$v1.ResourceResizeRestartPolicy
ContainerRestartRule action:$v1.ContainerRestartRuleAction exitCodes?ContainerRestartRuleOnExitCodes
VolumeMount name!string readOnly:bool recursiveReadOnly?$v1.RecursiveReadOnlyMode mountPath!string subPath:string mountPropagation?$v1.MountPropagationMode subPathExpr:string
VolumeDevice name!string devicePath!string
Probe ProbeHandler|exec?ExecAction ProbeHandler|httpGet?HTTPGetAction ProbeHandler|tcpSocket?TCPSocketAction ProbeHandler|grpc?GRPCAction initialDelaySeconds:int32 timeoutSeconds:int32 periodSeconds:int32 successThreshold:int32 failureThreshold:int32 terminationGracePeriodSeconds?int64
Lifecycle postStart?LifecycleHandler preStop?LifecycleHandler stopSignal?$v1.Signal
SecurityContext capabilities?Capabilities privileged?bool seLinuxOptions?SELinuxOptions windowsOptions?WindowsSecurityContextOptions runAsUser?int64 runAsGroup?int64 runAsNonRoot?bool readOnlyRootFilesystem?bool allowPrivilegeEscalation?bool procMount?$v1.ProcMountType seccompProfile?SeccompProfile appArmorProfile?AppArmorProfile
SELinuxOptions user:string role:string type:string level:string
WindowsSecurityContextOptions gmsaCredentialSpecName?string gmsaCredentialSpec?string runAsUserName?string hostProcess?bool
Sysctl name!string value!string
SeccompProfile type!$v1.SeccompProfileType localhostProfile?string
AppArmorProfile type!$v1.AppArmorProfileType localhostProfile?string
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution?NodeSelector preferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodDNSConfigOption name:string value?string
ResourceClaim name!string request:string
ContainerState waiting?ContainerStateWaiting running?ContainerStateRunning terminated?ContainerStateTerminated
VolumeMountStatus name!string mountPath!string readOnly:bool recursiveReadOnly?$v1.RecursiveReadOnlyMode volumeStatus?VolumeStatus
ContainerUser linux?LinuxContainerUser
ResourceStatus name!$v1.ResourceName resources:[]ResourceHealth
ContainerExtendedResourceRequest containerName!string resourceName!string requestName!string
ConfigMapNodeConfigSource namespace!string name!string uid:$types.UID resourceVersion:string kubeletConfigKey!string
DaemonEndpoint Port!int32
NodeSwapStatus capacity?int64
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts?bool userNamespaces?bool
CustomResourceValidation openAPIV3Schema?any
CustomResourceSubresources status?CustomResourceSubresourceStatus scale?CustomResourceSubresourceScale
CustomResourceColumnDefinition name!string type!string format:string description:string priority:int32 jsonPath!string
SelectableField jsonPath!string
WebhookConversion clientConfig?WebhookClientConfig conversionReviewVersions![]string
PodFailurePolicyRule action!$v1.PodFailurePolicyAction onExitCodes?PodFailurePolicyOnExitCodesRequirement onPodConditions:[]PodFailurePolicyOnPodConditionsPattern
SuccessPolicyRule succeededIndexes?string succeededCount?int32
LabelSelectorRequirement key!string operator!$v1.LabelSelectorOperator values:[]string
RollingUpdateDeployment maxUnavailable?IntOrString maxSurge?IntOrString
RollingUpdateDaemonSet maxUnavailable?IntOrString maxSurge?IntOrString
RollingUpdateStatefulSetStrategy partition?int32 maxUnavailable?IntOrString
ServiceReference namespace!string name!string path?string port?int32
FieldSelectorAttributes rawSelector:string requirements:[]FieldSelectorRequirement
LabelSelectorAttributes rawSelector:string requirements:[]LabelSelectorRequirement
ClientIPConfig timeoutSeconds?int32
LoadBalancerIngress ip:string hostname:string ipMode?$v1.LoadBalancerIPMode ports:[]PortStatus
SecretReference name:string namespace:string
NodeSelector nodeSelectorTerms![]NodeSelectorTerm
ScopedResourceSelectorRequirement scopeName!$v1.ResourceQuotaScope operator!$v1.ScopeSelectorOperator values:[]string
NetworkPolicyPort protocol?$v1.Protocol port?IntOrString endPort?int32
NetworkPolicyPeer podSelector?LabelSelector namespaceSelector?LabelSelector ipBlock?IPBlock
IngressServiceBackend name!string port!ServiceBackendPort
HTTPIngressRuleValue paths![]HTTPIngressPath
IngressLoadBalancerIngress ip:string hostname:string ports:[]IngressPortStatus
ForZone name!string
ForNode name!string
NamedRuleWithOperations resourceNames:[]string RuleWithOperations|operations:[]$v1.OperationType RuleWithOperations|Rule|apiGroups:[]string RuleWithOperations|Rule|apiVersions:[]string RuleWithOperations|Rule|resources:[]string RuleWithOperations|Rule|scope?$v1.ScopeType
ExpressionWarning fieldRef!string warning!string
KeyToPath key!string path!string mode?int32
DownwardAPIVolumeFile path!string fieldRef?ObjectFieldSelector resourceFieldRef?ResourceFieldSelector mode?int32
VolumeProjection secret?SecretProjection downwardAPI?DownwardAPIProjection configMap?ConfigMapProjection serviceAccountToken?ServiceAccountTokenProjection clusterTrustBundle?ClusterTrustBundleProjection podCertificate?PodCertificateProjection
PersistentVolumeClaimTemplate metadata!ObjectMeta spec!PersistentVolumeClaimSpec
ConfigMapEnvSource LocalObjectReference|name:string optional?bool
SecretEnvSource LocalObjectReference|name:string optional?bool
EnvVarSource fieldRef?ObjectFieldSelector resourceFieldRef?ResourceFieldSelector configMapKeyRef?ConfigMapKeySelector secretKeyRef?SecretKeySelector fileKeyRef?FileKeySelector
ContainerRestartRuleOnExitCodes operator:$v1.ContainerRestartRuleOnExitCodesOperator values:[]int32
ExecAction command:[]string
HTTPGetAction path:string port!IntOrString host:string scheme:$v1.URIScheme httpHeaders:[]HTTPHeader
TCPSocketAction port!IntOrString host:string
GRPCAction port!int32 service?string
LifecycleHandler exec?ExecAction httpGet?HTTPGetAction tcpSocket?TCPSocketAction sleep?SleepAction
Capabilities add:[]$v1.Capability drop:[]$v1.Capability
PreferredSchedulingTerm weight!int32 preference!NodeSelectorTerm
PodAffinityTerm labelSelector?LabelSelector namespaces:[]string topologyKey!string namespaceSelector?LabelSelector matchLabelKeys:[]string mismatchLabelKeys:[]string
WeightedPodAffinityTerm weight!int32 podAffinityTerm!PodAffinityTerm
ContainerStateWaiting reason:string message:string
ContainerStateRunning startedAt!Time
ContainerStateTerminated exitCode!int32 signal:int32 reason:string message:string startedAt!Time finishedAt!Time containerID:string
VolumeStatus image?ImageVolumeStatus
LinuxContainerUser uid!int64 gid!int64 supplementalGroups:[]int64
ResourceHealth resourceID!$v1.ResourceID health:$v1.ResourceHealthStatus message?string
CustomResourceSubresourceStatus
CustomResourceSubresourceScale specReplicasPath!string statusReplicasPath!string labelSelectorPath?string
PodFailurePolicyOnExitCodesRequirement containerName?string operator!$v1.PodFailurePolicyOnExitCodesOperator values![]int32
PodFailurePolicyOnPodConditionsPattern type!$v1.PodConditionType status!$v1.ConditionStatus
FieldSelectorRequirement key!string operator!$v1.FieldSelectorOperator values:[]string
PortStatus port!int32 protocol!$v1.Protocol error?string
NodeSelectorTerm matchExpressions:[]NodeSelectorRequirement matchFields:[]NodeSelectorRequirement
IPBlock cidr!string except:[]string
ServiceBackendPort name:string number:int32
HTTPIngressPath path:string pathType?$v1.PathType backend!IngressBackend
IngressPortStatus port!int32 protocol!$v1.Protocol error?string
ObjectFieldSelector apiVersion:string fieldPath!string
ResourceFieldSelector containerName:string resource!string divisor!Quantity
SecretProjection LocalObjectReference|name:string items:[]KeyToPath optional?bool
DownwardAPIProjection items:[]DownwardAPIVolumeFile
ConfigMapProjection LocalObjectReference|name:string items:[]KeyToPath optional?bool
ServiceAccountTokenProjection audience:string expirationSeconds?int64 path!string
ClusterTrustBundleProjection name?string signerName?string labelSelector?LabelSelector optional?bool path!string
PodCertificateProjection signerName:string keyType:string maxExpirationSeconds?int32 credentialBundlePath:string keyPath:string certificateChainPath:string userAnnotations:{}string
ConfigMapKeySelector LocalObjectReference|name:string key!string optional?bool
SecretKeySelector LocalObjectReference|name:string key!string optional?bool
FileKeySelector volumeName!string path!string key!string optional?bool
HTTPHeader name!string value!string
SleepAction seconds!int64
ImageVolumeStatus imageRef:string
NodeSelectorRequirement key!string operator!$v1.NodeSelectorOperator values:[]string
`
