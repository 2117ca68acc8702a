// Kubernetes' own messages (k8s.io/api v0.36.3), written by generate.go. messages.ts explains the format.

export const messageTable = `
Pod 1:metadata:ObjectMeta 2:spec:PodSpec 3:status:PodStatus
Secret 1:metadata:ObjectMeta 5?immutable:bool 2:data:{}bytes 4:stringData:{}string 3:type:string
ConfigMap 1:metadata:ObjectMeta 4?immutable:bool 2:data:{}string 3:binaryData:{}bytes
Namespace 1:metadata:ObjectMeta 2:spec:NamespaceSpec 3:status:NamespaceStatus
Node 1:metadata:ObjectMeta 2:spec:NodeSpec 3:status:NodeStatus
Event 1:metadata:ObjectMeta 2:involvedObject:ObjectReference 3:reason:string 4:message:string 5:source:EventSource 6:firstTimestamp:Time 7:lastTimestamp:Time 8:count:int 9:type:string 10:eventTime:MicroTime 11?series:EventSeries 12:action:string 13?related:ObjectReference 14:reportingComponent:string 15:reportingInstance:string
ServiceAccount 1:metadata:ObjectMeta 2:secrets:[]ObjectReference 3:imagePullSecrets:[]LocalObjectReference 4?automountServiceAccountToken:bool
Binding 1:metadata:ObjectMeta 2:target:ObjectReference
Lease 1:metadata:ObjectMeta 2:spec:LeaseSpec
CustomResourceDefinition 1:metadata:ObjectMeta 2:spec:CustomResourceDefinitionSpec 3:status:CustomResourceDefinitionStatus
Job 1:metadata:ObjectMeta 2:spec:JobSpec 3:status:JobStatus
Deployment 1:metadata:ObjectMeta 2:spec:DeploymentSpec 3:status:DeploymentStatus
Role 1:metadata:ObjectMeta 2:rules:[]PolicyRule
RoleBinding 1:metadata:ObjectMeta 2:subjects:[]Subject 3:roleRef:RoleRef
ClusterRole 1:metadata:ObjectMeta 2:rules:[]PolicyRule 3?aggregationRule:AggregationRule
ClusterRoleBinding 1:metadata:ObjectMeta 2:subjects:[]Subject 3:roleRef:RoleRef
CronJob 1:metadata:ObjectMeta 2:spec:CronJobSpec 3:status:CronJobStatus
DaemonSet 1:metadata:ObjectMeta 2:spec:DaemonSetSpec 3:status:DaemonSetStatus
StatefulSet 1:metadata:ObjectMeta 2:spec:StatefulSetSpec 3:status:StatefulSetStatus
ReplicaSet 1:metadata:ObjectMeta 2:spec:ReplicaSetSpec 3:status:ReplicaSetStatus
PodDisruptionBudget 1:metadata:ObjectMeta 2:spec:PodDisruptionBudgetSpec 3:status:PodDisruptionBudgetStatus
MutatingWebhookConfiguration 1:metadata:ObjectMeta 2:webhooks:[]MutatingWebhook
SelfSubjectAccessReview 1:metadata:ObjectMeta 2:spec:SelfSubjectAccessReviewSpec 3:status:SubjectAccessReviewStatus
Service 1:metadata:ObjectMeta 2:spec:ServiceSpec 3:status:ServiceStatus
Endpoints 1:metadata:ObjectMeta 2:subsets:[]EndpointSubset
PersistentVolumeClaim 1:metadata:ObjectMeta 2:spec:PersistentVolumeClaimSpec 3:status:PersistentVolumeClaimStatus
PersistentVolume 1:metadata:ObjectMeta 2:spec:PersistentVolumeSpec 3:status:PersistentVolumeStatus
ResourceQuota 1:metadata:ObjectMeta 2:spec:ResourceQuotaSpec 3:status:ResourceQuotaStatus
LimitRange 1:metadata:ObjectMeta 2:spec:LimitRangeSpec
NetworkPolicy 1:metadata:ObjectMeta 2:spec:NetworkPolicySpec
Ingress 1:metadata:ObjectMeta 2:spec:IngressSpec 3:status:IngressStatus
IngressClass 1:metadata:ObjectMeta 2:spec:IngressClassSpec
EndpointSlice 1:metadata:ObjectMeta 4:addressType:string 2:endpoints:[]Endpoint 3:ports:[]EndpointPort
PriorityClass 1:metadata:ObjectMeta 2:value:int 3:globalDefault:bool 4:description:string 5?preemptionPolicy:string
StorageClass 1:metadata:ObjectMeta 2:provisioner:string 3:parameters:{}string 4?reclaimPolicy:string 5:mountOptions:[]string 6?allowVolumeExpansion:bool 7?volumeBindingMode:string 8:allowedTopologies:[]TopologySelectorTerm
ValidatingWebhookConfiguration 1:metadata:ObjectMeta 2:webhooks:[]ValidatingWebhook
ValidatingAdmissionPolicy 1:metadata:ObjectMeta 2:spec:ValidatingAdmissionPolicySpec 3:status:ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyBinding 1:metadata:ObjectMeta 2:spec:ValidatingAdmissionPolicyBindingSpec
TokenRequest 1:metadata:ObjectMeta 2:spec:TokenRequestSpec 3:status:TokenRequestStatus
SelfSubjectRulesReview 1:metadata:ObjectMeta 2:spec:SelfSubjectRulesReviewSpec 3:status:SubjectRulesReviewStatus
Scale 1:metadata:ObjectMeta 2:spec:ScaleSpec 3:status:ScaleStatus
Eviction 1:metadata:ObjectMeta 2?deleteOptions:DeleteOptions
RuntimeClass 1:metadata:ObjectMeta 2:handler:string 3?overhead:Overhead 4?scheduling:Scheduling
PodTemplate 1:metadata:ObjectMeta 2:template:PodTemplateSpec
HorizontalPodAutoscaler 1:metadata:ObjectMeta 2:spec:HorizontalPodAutoscalerSpec 3:status:HorizontalPodAutoscalerStatus
DeleteOptions 1?gracePeriodSeconds:int 2?preconditions:Preconditions 3?orphanDependents:bool 4?propagationPolicy:string 5:dryRun:[]string 6?ignoreStoreReadErrorWithClusterBreakingPotential:bool
ObjectMeta 1:name:string 2:generateName:string 3:namespace:string 4:selfLink:string 5:uid:string 6:resourceVersion:string 7:generation:int 8:creationTimestamp:Time 9?deletionTimestamp:Time 10?deletionGracePeriodSeconds:int 11:labels:{}string 12:annotations:{}string 13:ownerReferences:[]OwnerReference 14:finalizers:[]string 17:managedFields:[]ManagedFieldsEntry
PodSpec 1:volumes:[]Volume 20:initContainers:[]Container 2:containers:[]Container 34:ephemeralContainers:[]EphemeralContainer 3:restartPolicy:string 4?terminationGracePeriodSeconds:int 5?activeDeadlineSeconds:int 6:dnsPolicy:string 7:nodeSelector:{}string 8:serviceAccountName:string 9:serviceAccount:string 21?automountServiceAccountToken:bool 10:nodeName:string 11:hostNetwork:bool 12:hostPID:bool 13:hostIPC:bool 27?shareProcessNamespace:bool 14?securityContext:PodSecurityContext 15:imagePullSecrets:[]LocalObjectReference 16:hostname:string 17:subdomain:string 18?affinity:Affinity 19:schedulerName:string 22:tolerations:[]Toleration 23:hostAliases:[]HostAlias 24:priorityClassName:string 25?priority:int 26?dnsConfig:PodDNSConfig 28:readinessGates:[]PodReadinessGate 29?runtimeClassName:string 30?enableServiceLinks:bool 31?preemptionPolicy:string 32:overhead:{}Quantity 33:topologySpreadConstraints:[]TopologySpreadConstraint 35?setHostnameAsFQDN:bool 36?os:PodOS 37?hostUsers:bool 38:schedulingGates:[]PodSchedulingGate 39:resourceClaims:[]PodResourceClaim 40?resources:ResourceRequirements 41?hostnameOverride:string 43?schedulingGroup:PodSchedulingGroup
PodStatus 17:observedGeneration:int 1:phase:string 2:conditions:[]PodCondition 3:message:string 4:reason:string 11:nominatedNodeName:string 5:hostIP:string 16:hostIPs:[]HostIP 6:podIP:string 12:podIPs:[]PodIP 7?startTime:Time 10:initContainerStatuses:[]ContainerStatus 8:containerStatuses:[]ContainerStatus 9:qosClass:string 13:ephemeralContainerStatuses:[]ContainerStatus 14:resize:string 15:resourceClaimStatuses:[]PodResourceClaimStatus 18?extendedResourceClaimStatus:PodExtendedResourceClaimStatus 19:allocatedResources:{}Quantity 20?resources:ResourceRequirements 21:nodeAllocatableResourceClaimStatuses:[]NodeAllocatableResourceClaimStatus
NamespaceSpec 1:finalizers:[]string
NamespaceStatus 1:phase:string 2:conditions:[]NamespaceCondition
NodeSpec 1:podCIDR:string 7:podCIDRs:[]string 3:providerID:string 4:unschedulable:bool 5:taints:[]Taint 6?configSource:NodeConfigSource 2:externalID:string
NodeStatus 1:capacity:{}Quantity 2:allocatable:{}Quantity 3:phase:string 4:conditions:[]NodeCondition 5:addresses:[]NodeAddress 6:daemonEndpoints:NodeDaemonEndpoints 7:nodeInfo:NodeSystemInfo 8:images:[]ContainerImage 9:volumesInUse:[]string 10:volumesAttached:[]AttachedVolume 11?config:NodeConfigStatus 12:runtimeHandlers:[]NodeRuntimeHandler 13?features:NodeFeatures 14:declaredFeatures:[]string
ObjectReference 1:kind:string 2:namespace:string 3:name:string 4:uid:string 5:apiVersion:string 6:resourceVersion:string 7:fieldPath:string
EventSource 1:component:string 2:host:string
EventSeries 1:count:int 2:lastObservedTime:MicroTime
LocalObjectReference 1:name:string
LeaseSpec 1?holderIdentity:string 2?leaseDurationSeconds:int 3?acquireTime:MicroTime 4?renewTime:MicroTime 5?leaseTransitions:int 6?strategy:string 7?preferredHolder:string
CustomResourceDefinitionSpec 1:group:string 3:names:CustomResourceDefinitionNames 4:scope:string 7:versions:[]CustomResourceDefinitionVersion 9?conversion:CustomResourceConversion 10:preserveUnknownFields:bool
CustomResourceDefinitionStatus 1:conditions:[]CustomResourceDefinitionCondition 2:acceptedNames:CustomResourceDefinitionNames 3:storedVersions:[]string 4:observedGeneration:int
JobSpec 1?parallelism:int 2?completions:int 3?activeDeadlineSeconds:int 11?podFailurePolicy:PodFailurePolicy 16?successPolicy:SuccessPolicy 7?backoffLimit:int 12?backoffLimitPerIndex:int 13?maxFailedIndexes:int 4?selector:LabelSelector 5?manualSelector:bool 6:template:PodTemplateSpec 8?ttlSecondsAfterFinished:int 9?completionMode:string 10?suspend:bool 14?podReplacementPolicy:string 15?managedBy:string
JobStatus 1:conditions:[]JobCondition 2?startTime:Time 3?completionTime:Time 4:active:int 5:succeeded:int 6:failed:int 11?terminating:int 7:completedIndexes:string 10?failedIndexes:string 8?uncountedTerminatedPods:UncountedTerminatedPods 9?ready:int
DeploymentSpec 1?replicas:int 2?selector:LabelSelector 3:template:PodTemplateSpec 4:strategy:DeploymentStrategy 5:minReadySeconds:int 6?revisionHistoryLimit:int 7:paused:bool 9?progressDeadlineSeconds:int
DeploymentStatus 1:observedGeneration:int 2:replicas:int 3:updatedReplicas:int 7:readyReplicas:int 4:availableReplicas:int 5:unavailableReplicas:int 9?terminatingReplicas:int 6:conditions:[]DeploymentCondition 8?collisionCount:int
PolicyRule 1:verbs:[]string 2:apiGroups:[]string 3:resources:[]string 4:resourceNames:[]string 5:nonResourceURLs:[]string
Subject 1:kind:string 2:apiGroup:string 3:name:string 4:namespace:string
RoleRef 1:apiGroup:string 2:kind:string 3:name:string
AggregationRule 1:clusterRoleSelectors:[]LabelSelector
CronJobSpec 1:schedule:string 8?timeZone:string 2?startingDeadlineSeconds:int 3:concurrencyPolicy:string 4?suspend:bool 5:jobTemplate:JobTemplateSpec 6?successfulJobsHistoryLimit:int 7?failedJobsHistoryLimit:int
CronJobStatus 1:active:[]ObjectReference 4?lastScheduleTime:Time 5?lastSuccessfulTime:Time
DaemonSetSpec 1?selector:LabelSelector 2:template:PodTemplateSpec 3:updateStrategy:DaemonSetUpdateStrategy 4:minReadySeconds:int 6?revisionHistoryLimit:int
DaemonSetStatus 1:currentNumberScheduled:int 2:numberMisscheduled:int 3:desiredNumberScheduled:int 4:numberReady:int 5:observedGeneration:int 6:updatedNumberScheduled:int 7:numberAvailable:int 8:numberUnavailable:int 9?collisionCount:int 10:conditions:[]DaemonSetCondition
StatefulSetSpec 1?replicas:int 2?selector:LabelSelector 3:template:PodTemplateSpec 4:volumeClaimTemplates:[]PersistentVolumeClaim 5:serviceName:string 6:podManagementPolicy:string 7:updateStrategy:StatefulSetUpdateStrategy 8?revisionHistoryLimit:int 9:minReadySeconds:int 10?persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy 11?ordinals:StatefulSetOrdinals
StatefulSetStatus 1:observedGeneration:int 2:replicas:int 3:readyReplicas:int 4:currentReplicas:int 5:updatedReplicas:int 6:currentRevision:string 7:updateRevision:string 9?collisionCount:int 10:conditions:[]StatefulSetCondition 11:availableReplicas:int
ReplicaSetSpec 1?replicas:int 4:minReadySeconds:int 2?selector:LabelSelector 3:template:PodTemplateSpec
ReplicaSetStatus 1:replicas:int 2:fullyLabeledReplicas:int 4:readyReplicas:int 5:availableReplicas:int 7?terminatingReplicas:int 3:observedGeneration:int 6:conditions:[]ReplicaSetCondition
PodDisruptionBudgetSpec 1?minAvailable:IntOrString 2?selector:LabelSelector 3?maxUnavailable:IntOrString 4?unhealthyPodEvictionPolicy:string
PodDisruptionBudgetStatus 1:observedGeneration:int 2:disruptedPods:{}Time 3:disruptionsAllowed:int 4:currentHealthy:int 5:desiredHealthy:int 6:expectedPods:int 7:conditions:[]Condition
MutatingWebhook 1:name:string 2:clientConfig:WebhookClientConfig 3:rules:[]RuleWithOperations 4?failurePolicy:string 9?matchPolicy:string 5?namespaceSelector:LabelSelector 11?objectSelector:LabelSelector 6?sideEffects:string 7?timeoutSeconds:int 8:admissionReviewVersions:[]string 10?reinvocationPolicy:string 12:matchConditions:[]MatchCondition
SelfSubjectAccessReviewSpec 1?resourceAttributes:ResourceAttributes 2?nonResourceAttributes:NonResourceAttributes
SubjectAccessReviewStatus 1:allowed:bool 4:denied:bool 2:reason:string 3:evaluationError:string
ServiceSpec 1:ports:[]ServicePort 2:selector:{}string 3:clusterIP:string 18:clusterIPs:[]string 4:type:string 5:externalIPs:[]string 7:sessionAffinity:string 8:loadBalancerIP:string 9:loadBalancerSourceRanges:[]string 10:externalName:string 11:externalTrafficPolicy:string 12:healthCheckNodePort:int 13:publishNotReadyAddresses:bool 14?sessionAffinityConfig:SessionAffinityConfig 19:ipFamilies:[]string 17?ipFamilyPolicy:string 20?allocateLoadBalancerNodePorts:bool 21?loadBalancerClass:string 22?internalTrafficPolicy:string 23?trafficDistribution:string
ServiceStatus 1:loadBalancer:LoadBalancerStatus 2:conditions:[]Condition
EndpointSubset 1:addresses:[]EndpointAddress 2:notReadyAddresses:[]EndpointAddress 3:ports:[]core.EndpointPort
PersistentVolumeClaimSpec 1:accessModes:[]string 4?selector:LabelSelector 2:resources:VolumeResourceRequirements 3:volumeName:string 5?storageClassName:string 6?volumeMode:string 7?dataSource:TypedLocalObjectReference 8?dataSourceRef:TypedObjectReference 9?volumeAttributesClassName:string
PersistentVolumeClaimStatus 1:phase:string 2:accessModes:[]string 3:capacity:{}Quantity 4:conditions:[]PersistentVolumeClaimCondition 5:allocatedResources:{}Quantity 7:allocatedResourceStatuses:{}string 8?currentVolumeAttributesClassName:string 9?modifyVolumeStatus:ModifyVolumeStatus
PersistentVolumeSpec 1:capacity:{}Quantity 2::PersistentVolumeSource 3:accessModes:[]string 4?claimRef:ObjectReference 5:persistentVolumeReclaimPolicy:string 6:storageClassName:string 7:mountOptions:[]string 8?volumeMode:string 9?nodeAffinity:VolumeNodeAffinity 10?volumeAttributesClassName:string
PersistentVolumeStatus 1:phase:string 2:message:string 3:reason:string 4?lastPhaseTransitionTime:Time
ResourceQuotaSpec 1:hard:{}Quantity 2:scopes:[]string 3?scopeSelector:ScopeSelector
ResourceQuotaStatus 1:hard:{}Quantity 2:used:{}Quantity
LimitRangeSpec 1:limits:[]LimitRangeItem
NetworkPolicySpec 1:podSelector:LabelSelector 2:ingress:[]NetworkPolicyIngressRule 3:egress:[]NetworkPolicyEgressRule 4:policyTypes:[]string
IngressSpec 4?ingressClassName:string 1?defaultBackend:IngressBackend 2:tls:[]IngressTLS 3:rules:[]IngressRule
IngressStatus 1:loadBalancer:IngressLoadBalancerStatus
IngressClassSpec 1:controller:string 2?parameters:IngressClassParametersReference
Endpoint 1:addresses:[]string 2:conditions:EndpointConditions 3?hostname:string 4?targetRef:ObjectReference 5:deprecatedTopology:{}string 6?nodeName:string 7?zone:string 8?hints:EndpointHints
EndpointPort 1?name:string 2?protocol:string 3?port:int 4?appProtocol:string
TopologySelectorTerm 1:matchLabelExpressions:[]TopologySelectorLabelRequirement
ValidatingWebhook 1:name:string 2:clientConfig:WebhookClientConfig 3:rules:[]RuleWithOperations 4?failurePolicy:string 9?matchPolicy:string 5?namespaceSelector:LabelSelector 10?objectSelector:LabelSelector 6?sideEffects:string 7?timeoutSeconds:int 8:admissionReviewVersions:[]string 11:matchConditions:[]MatchCondition
ValidatingAdmissionPolicySpec 1?paramKind:ParamKind 2?matchConstraints:MatchResources 3:validations:[]Validation 4?failurePolicy:string 5:auditAnnotations:[]AuditAnnotation 6:matchConditions:[]MatchCondition 7:variables:[]Variable
ValidatingAdmissionPolicyStatus 1:observedGeneration:int 2?typeChecking:TypeChecking 3:conditions:[]Condition
ValidatingAdmissionPolicyBindingSpec 1:policyName:string 2?paramRef:ParamRef 3?matchResources:MatchResources 4:validationActions:[]string
TokenRequestSpec 1:audiences:[]string 4?expirationSeconds:int 3?boundObjectRef:BoundObjectReference
TokenRequestStatus 1:token:string 2:expirationTimestamp:Time
SelfSubjectRulesReviewSpec 1:namespace:string
SubjectRulesReviewStatus 1:resourceRules:[]ResourceRule 2:nonResourceRules:[]NonResourceRule 3:incomplete:bool 4:evaluationError:string
ScaleSpec 1:replicas:int
ScaleStatus 1:replicas:int 2:selector:string
Overhead 1:podFixed:{}Quantity
Scheduling 1:nodeSelector:{}string 2:tolerations:[]Toleration
PodTemplateSpec 1:metadata:ObjectMeta 2:spec:PodSpec
HorizontalPodAutoscalerSpec 1:scaleTargetRef:CrossVersionObjectReference 2?minReplicas:int 3:maxReplicas:int 4:metrics:[]MetricSpec 5?behavior:HorizontalPodAutoscalerBehavior
HorizontalPodAutoscalerStatus 1?observedGeneration:int 2?lastScaleTime:Time 3:currentReplicas:int 4:desiredReplicas:int 5:currentMetrics:[]MetricStatus 6:conditions:[]HorizontalPodAutoscalerCondition
Preconditions 1?uid:string 2?resourceVersion:string
OwnerReference 5:apiVersion:string 1:kind:string 3:name:string 4:uid:string 6?controller:bool 7?blockOwnerDeletion:bool
ManagedFieldsEntry 1:manager:string 2:operation:string 3:apiVersion:string 4?time:Time 6:fieldsType:string 7?fieldsV1:Raw 8:subresource:string
Volume 1:name:string 2::VolumeSource
Container 1:name:string 2:image:string 3:command:[]string 4:args:[]string 5:workingDir:string 6:ports:[]ContainerPort 19:envFrom:[]EnvFromSource 7:env:[]EnvVar 8:resources:ResourceRequirements 23:resizePolicy:[]ContainerResizePolicy 24?restartPolicy:string 25:restartPolicyRules:[]ContainerRestartRule 9:volumeMounts:[]VolumeMount 21:volumeDevices:[]VolumeDevice 10?livenessProbe:Probe 11?readinessProbe:Probe 22?startupProbe:Probe 12?lifecycle:Lifecycle 13:terminationMessagePath:string 20:terminationMessagePolicy:string 14:imagePullPolicy:string 15?securityContext:SecurityContext 16:stdin:bool 17:stdinOnce:bool 18:tty:bool
EphemeralContainer 1::EphemeralContainerCommon 2:targetContainerName:string
PodSecurityContext 1?seLinuxOptions:SELinuxOptions 8?windowsOptions:WindowsSecurityContextOptions 2?runAsUser:int 6?runAsGroup:int 3?runAsNonRoot:bool 4:supplementalGroups:[]int 12?supplementalGroupsPolicy:string 5?fsGroup:int 7:sysctls:[]Sysctl 9?fsGroupChangePolicy:string 10?seccompProfile:SeccompProfile 11?appArmorProfile:AppArmorProfile 13?seLinuxChangePolicy:string
Affinity 1?nodeAffinity:NodeAffinity 2?podAffinity:PodAffinity 3?podAntiAffinity:PodAntiAffinity
Toleration 1:key:string 2:operator:string 3:value:string 4:effect:string 5?tolerationSeconds:int
HostAlias 1:ip:string 2:hostnames:[]string
PodDNSConfig 1:nameservers:[]string 2:searches:[]string 3:options:[]PodDNSConfigOption
PodReadinessGate 1:conditionType:string
TopologySpreadConstraint 1:maxSkew:int 2:topologyKey:string 3:whenUnsatisfiable:string 4?labelSelector:LabelSelector 5?minDomains:int 6?nodeAffinityPolicy:string 7?nodeTaintsPolicy:string 8:matchLabelKeys:[]string
PodOS 1:name:string
PodSchedulingGate 1:name:string
PodResourceClaim 1:name:string 3?resourceClaimName:string 4?resourceClaimTemplateName:string
ResourceRequirements 1:limits:{}Quantity 2:requests:{}Quantity 3:claims:[]ResourceClaim
PodSchedulingGroup 1?podGroupName:string
PodCondition 1:type:string 7:observedGeneration:int 2:status:string 3:lastProbeTime:Time 4:lastTransitionTime:Time 5:reason:string 6:message:string
HostIP 1:ip:string
PodIP 1:ip:string
ContainerStatus 1:name:string 2:state:ContainerState 3:lastState:ContainerState 4:ready:bool 5:restartCount:int 6:image:string 7:imageID:string 8:containerID:string 9?started:bool 10:allocatedResources:{}Quantity 11?resources:ResourceRequirements 12:volumeMounts:[]VolumeMountStatus 13?user:ContainerUser 14:allocatedResourcesStatus:[]ResourceStatus 15?stopSignal:string
PodResourceClaimStatus 1:name:string 2?resourceClaimName:string
PodExtendedResourceClaimStatus 1:requestMappings:[]ContainerExtendedResourceRequest 2:resourceClaimName:string
NodeAllocatableResourceClaimStatus 1:resourceClaimName:string 2:containers:[]string 3:resources:{}Quantity
NamespaceCondition 1:type:string 2:status:string 4:lastTransitionTime:Time 5:reason:string 6:message:string
Taint 1:key:string 2:value:string 3:effect:string 4?timeAdded:Time
NodeConfigSource 2?configMap:ConfigMapNodeConfigSource
NodeCondition 1:type:string 2:status:string 3:lastHeartbeatTime:Time 4:lastTransitionTime:Time 5:reason:string 6:message:string
NodeAddress 1:type:string 2:address:string
NodeDaemonEndpoints 1:kubeletEndpoint:DaemonEndpoint
NodeSystemInfo 1:machineID:string 2:systemUUID:string 3:bootID:string 4:kernelVersion:string 5:osImage:string 6:containerRuntimeVersion:string 7:kubeletVersion:string 8:kubeProxyVersion:string 9:operatingSystem:string 10:architecture:string 11?swap:NodeSwapStatus
ContainerImage 1:names:[]string 2:sizeBytes:int
AttachedVolume 1:name:string 2:devicePath:string
NodeConfigStatus 1?assigned:NodeConfigSource 2?active:NodeConfigSource 3?lastKnownGood:NodeConfigSource 4:error:string
NodeRuntimeHandler 1:name:string 2?features:NodeRuntimeHandlerFeatures
NodeFeatures 1?supplementalGroupsPolicy:bool
CustomResourceDefinitionNames 1:plural:string 2:singular:string 3:shortNames:[]string 4:kind:string 5:listKind:string 6:categories:[]string
CustomResourceDefinitionVersion 1:name:string 2:served:bool 3:storage:bool 7:deprecated:bool 8?deprecationWarning:string 4?schema:CustomResourceValidation 5?subresources:CustomResourceSubresources 6:additionalPrinterColumns:[]CustomResourceColumnDefinition 9:selectableFields:[]SelectableField
CustomResourceConversion 1:strategy:string 2?webhook:WebhookConversion
CustomResourceDefinitionCondition 1:type:string 2:status:string 3:lastTransitionTime:Time 4:reason:string 5:message:string 6:observedGeneration:int
PodFailurePolicy 1:rules:[]PodFailurePolicyRule
SuccessPolicy 1:rules:[]SuccessPolicyRule
LabelSelector 1:matchLabels:{}string 2:matchExpressions:[]LabelSelectorRequirement
JobCondition 1:type:string 2:status:string 3:lastProbeTime:Time 4:lastTransitionTime:Time 5:reason:string 6:message:string
UncountedTerminatedPods 1:succeeded:[]string 2:failed:[]string
DeploymentStrategy 1:type:string 2?rollingUpdate:RollingUpdateDeployment
DeploymentCondition 1:type:string 2:status:string 6:lastUpdateTime:Time 7:lastTransitionTime:Time 4:reason:string 5:message:string
JobTemplateSpec 1:metadata:ObjectMeta 2:spec:JobSpec
DaemonSetUpdateStrategy 1:type:string 2?rollingUpdate:RollingUpdateDaemonSet
DaemonSetCondition 1:type:string 2:status:string 3:lastTransitionTime:Time 4:reason:string 5:message:string
StatefulSetUpdateStrategy 1:type:string 2?rollingUpdate:RollingUpdateStatefulSetStrategy
StatefulSetPersistentVolumeClaimRetentionPolicy 1:whenDeleted:string 2:whenScaled:string
StatefulSetOrdinals 1:start:int
StatefulSetCondition 1:type:string 2:status:string 3:lastTransitionTime:Time 4:reason:string 5:message:string
ReplicaSetCondition 1:type:string 2:status:string 3:lastTransitionTime:Time 4:reason:string 5:message:string
Condition 1:type:string 2:status:string 3:observedGeneration:int 4:lastTransitionTime:Time 5:reason:string 6:message:string
WebhookClientConfig 3?url:string 1?service:ServiceReference 2:caBundle:bytes
RuleWithOperations 1:operations:[]string 2::Rule
MatchCondition 1:name:string 2:expression:string
ResourceAttributes 1:namespace:string 2:verb:string 3:group:string 4:version:string 5:resource:string 6:subresource:string 7:name:string 8?fieldSelector:FieldSelectorAttributes 9?labelSelector:LabelSelectorAttributes
NonResourceAttributes 1:path:string 2:verb:string
ServicePort 1:name:string 2:protocol:string 6?appProtocol:string 3:port:int 4:targetPort:IntOrString 5:nodePort:int
SessionAffinityConfig 1?clientIP:ClientIPConfig
LoadBalancerStatus 1:ingress:[]LoadBalancerIngress
EndpointAddress 1:ip:string 3:hostname:string 4?nodeName:string 2?targetRef:ObjectReference
core.EndpointPort 1:name:string 2:port:int 3:protocol:string 4?appProtocol:string
VolumeResourceRequirements 1:limits:{}Quantity 2:requests:{}Quantity
TypedLocalObjectReference 1?apiGroup:string 2:kind:string 3:name:string
TypedObjectReference 1?apiGroup:string 2:kind:string 3:name:string 4?namespace:string
PersistentVolumeClaimCondition 1:type:string 2:status:string 3:lastProbeTime:Time 4:lastTransitionTime:Time 5:reason:string 6:message:string
ModifyVolumeStatus 1:targetVolumeAttributesClassName:string 2:status:string
PersistentVolumeSource 1?gcePersistentDisk:GCEPersistentDiskVolumeSource 2?awsElasticBlockStore:AWSElasticBlockStoreVolumeSource 3?hostPath:HostPathVolumeSource 4?glusterfs:GlusterfsPersistentVolumeSource 5?nfs:NFSVolumeSource 6?rbd:RBDPersistentVolumeSource 7?iscsi:ISCSIPersistentVolumeSource 8?cinder:CinderPersistentVolumeSource 9?cephfs:CephFSPersistentVolumeSource 10?fc:FCVolumeSource 11?flocker:FlockerVolumeSource 12?flexVolume:FlexPersistentVolumeSource 13?azureFile:AzureFilePersistentVolumeSource 14?vsphereVolume:VsphereVirtualDiskVolumeSource 15?quobyte:QuobyteVolumeSource 16?azureDisk:AzureDiskVolumeSource 17?photonPersistentDisk:PhotonPersistentDiskVolumeSource 18?portworxVolume:PortworxVolumeSource 19?scaleIO:ScaleIOPersistentVolumeSource 20?local:LocalVolumeSource 21?storageos:StorageOSPersistentVolumeSource 22?csi:CSIPersistentVolumeSource
VolumeNodeAffinity 1?required:NodeSelector
ScopeSelector 1:matchExpressions:[]ScopedResourceSelectorRequirement
LimitRangeItem 1:type:string 2:max:{}Quantity 3:min:{}Quantity 4:default:{}Quantity 5:defaultRequest:{}Quantity 6:maxLimitRequestRatio:{}Quantity
NetworkPolicyIngressRule 1:ports:[]NetworkPolicyPort 2:from:[]NetworkPolicyPeer
NetworkPolicyEgressRule 1:ports:[]NetworkPolicyPort 2:to:[]NetworkPolicyPeer
IngressBackend 4?service:IngressServiceBackend 3?resource:TypedLocalObjectReference
IngressTLS 1:hosts:[]string 2:secretName:string
IngressRule 1:host:string 2::IngressRuleValue
IngressLoadBalancerStatus 1:ingress:[]IngressLoadBalancerIngress
IngressClassParametersReference 1?apiGroup:string 2:kind:string 3:name:string 4?scope:string 5?namespace:string
EndpointConditions 1?ready:bool 2?serving:bool 3?terminating:bool
EndpointHints 1:forZones:[]ForZone 2:forNodes:[]ForNode
TopologySelectorLabelRequirement 1:key:string 2:values:[]string
ParamKind 1:apiVersion:string 2:kind:string
MatchResources 1?namespaceSelector:LabelSelector 2?objectSelector:LabelSelector 3:resourceRules:[]NamedRuleWithOperations 4:excludeResourceRules:[]NamedRuleWithOperations 7?matchPolicy:string
Validation 1:expression:string 2:message:string 3?reason:string 4:messageExpression:string
AuditAnnotation 1:key:string 2:valueExpression:string
Variable 1:name:string 2:expression:string
TypeChecking 1:expressionWarnings:[]ExpressionWarning
ParamRef 1:name:string 2:namespace:string 3?selector:LabelSelector 4?parameterNotFoundAction:string
BoundObjectReference 1:kind:string 2:apiVersion:string 3:name:string 4:uid:string
ResourceRule 1:verbs:[]string 2:apiGroups:[]string 3:resources:[]string 4:resourceNames:[]string
NonResourceRule 1:verbs:[]string 2:nonResourceURLs:[]string
CrossVersionObjectReference 1:kind:string 2:name:string 3:apiVersion:string
MetricSpec 1:type:string 2?object:ObjectMetricSource 3?pods:PodsMetricSource 4?resource:ResourceMetricSource 7?containerResource:ContainerResourceMetricSource 5?external:ExternalMetricSource
HorizontalPodAutoscalerBehavior 1?scaleUp:HPAScalingRules 2?scaleDown:HPAScalingRules
MetricStatus 1:type:string 2?object:ObjectMetricStatus 3?pods:PodsMetricStatus 4?resource:ResourceMetricStatus 7?containerResource:ContainerResourceMetricStatus 5?external:ExternalMetricStatus
HorizontalPodAutoscalerCondition 1:type:string 2:status:string 3:lastTransitionTime:Time 4:reason:string 5:message:string
VolumeSource 1?hostPath:HostPathVolumeSource 2?emptyDir:EmptyDirVolumeSource 3?gcePersistentDisk:GCEPersistentDiskVolumeSource 4?awsElasticBlockStore:AWSElasticBlockStoreVolumeSource 5?gitRepo:GitRepoVolumeSource 6?secret:SecretVolumeSource 7?nfs:NFSVolumeSource 8?iscsi:ISCSIVolumeSource 9?glusterfs:GlusterfsVolumeSource 10?persistentVolumeClaim:PersistentVolumeClaimVolumeSource 11?rbd:RBDVolumeSource 12?flexVolume:FlexVolumeSource 13?cinder:CinderVolumeSource 14?cephfs:CephFSVolumeSource 15?flocker:FlockerVolumeSource 16?downwardAPI:DownwardAPIVolumeSource 17?fc:FCVolumeSource 18?azureFile:AzureFileVolumeSource 19?configMap:ConfigMapVolumeSource 20?vsphereVolume:VsphereVirtualDiskVolumeSource 21?quobyte:QuobyteVolumeSource 22?azureDisk:AzureDiskVolumeSource 23?photonPersistentDisk:PhotonPersistentDiskVolumeSource 26?projected:ProjectedVolumeSource 24?portworxVolume:PortworxVolumeSource 25?scaleIO:ScaleIOVolumeSource 27?storageos:StorageOSVolumeSource 28?csi:CSIVolumeSource 29?ephemeral:EphemeralVolumeSource 30?image:ImageVolumeSource
ContainerPort 1:name:string 2:hostPort:int 3:containerPort:int 4:protocol:string 5:hostIP:string
EnvFromSource 1:prefix:string 2?configMapRef:ConfigMapEnvSource 3?secretRef:SecretEnvSource
EnvVar 1:name:string 2:value:string 3?valueFrom:EnvVarSource
ContainerResizePolicy 1:resourceName:string 2:restartPolicy:string
ContainerRestartRule 1:action:string 2?exitCodes:ContainerRestartRuleOnExitCodes
VolumeMount 1:name:string 2:readOnly:bool 7?recursiveReadOnly:string 3:mountPath:string 4:subPath:string 5?mountPropagation:string 6:subPathExpr:string
VolumeDevice 1:name:string 2:devicePath:string
Probe 1::ProbeHandler 2:initialDelaySeconds:int 3:timeoutSeconds:int 4:periodSeconds:int 5:successThreshold:int 6:failureThreshold:int 7?terminationGracePeriodSeconds:int
Lifecycle 1?postStart:LifecycleHandler 2?preStop:LifecycleHandler 3?stopSignal:string
SecurityContext 1?capabilities:Capabilities 2?privileged:bool 3?seLinuxOptions:SELinuxOptions 10?windowsOptions:WindowsSecurityContextOptions 4?runAsUser:int 8?runAsGroup:int 5?runAsNonRoot:bool 6?readOnlyRootFilesystem:bool 7?allowPrivilegeEscalation:bool 9?procMount:string 11?seccompProfile:SeccompProfile 12?appArmorProfile:AppArmorProfile
EphemeralContainerCommon 1:name:string 2:image:string 3:command:[]string 4:args:[]string 5:workingDir:string 6:ports:[]ContainerPort 19:envFrom:[]EnvFromSource 7:env:[]EnvVar 8:resources:ResourceRequirements 23:resizePolicy:[]ContainerResizePolicy 24?restartPolicy:string 25:restartPolicyRules:[]ContainerRestartRule 9:volumeMounts:[]VolumeMount 21:volumeDevices:[]VolumeDevice 10?livenessProbe:Probe 11?readinessProbe:Probe 22?startupProbe:Probe 12?lifecycle:Lifecycle 13:terminationMessagePath:string 20:terminationMessagePolicy:string 14:imagePullPolicy:string 15?securityContext:SecurityContext 16:stdin:bool 17:stdinOnce:bool 18:tty:bool
SELinuxOptions 1:user:string 2:role:string 3:type:string 4:level:string
WindowsSecurityContextOptions 1?gmsaCredentialSpecName:string 2?gmsaCredentialSpec:string 3?runAsUserName:string 4?hostProcess:bool
Sysctl 1:name:string 2:value:string
SeccompProfile 1:type:string 2?localhostProfile:string
AppArmorProfile 1:type:string 2?localhostProfile:string
NodeAffinity 1?requiredDuringSchedulingIgnoredDuringExecution:NodeSelector 2:preferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm
PodAffinity 1:requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm 2:preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodAntiAffinity 1:requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm 2:preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodDNSConfigOption 1:name:string 2?value:string
ResourceClaim 1:name:string 2:request:string
ContainerState 1?waiting:ContainerStateWaiting 2?running:ContainerStateRunning 3?terminated:ContainerStateTerminated
VolumeMountStatus 1:name:string 2:mountPath:string 3:readOnly:bool 4?recursiveReadOnly:string 5?volumeStatus:VolumeStatus
ContainerUser 1?linux:LinuxContainerUser
ResourceStatus 1:name:string 2:resources:[]ResourceHealth
ContainerExtendedResourceRequest 1:containerName:string 2:resourceName:string 3:requestName:string
ConfigMapNodeConfigSource 1:namespace:string 2:name:string 3:uid:string 4:resourceVersion:string 5:kubeletConfigKey:string
DaemonEndpoint 1:Port:int
NodeSwapStatus 1?capacity:int
NodeRuntimeHandlerFeatures 1?recursiveReadOnlyMounts:bool 2?userNamespaces:bool
CustomResourceValidation 1?openAPIV3Schema:JSONSchemaProps
CustomResourceSubresources 1?status:CustomResourceSubresourceStatus 2?scale:CustomResourceSubresourceScale
CustomResourceColumnDefinition 1:name:string 2:type:string 3:format:string 4:description:string 5:priority:int 6:jsonPath:string
SelectableField 1:jsonPath:string
WebhookConversion 2?clientConfig:apiextensions.WebhookClientConfig 3:conversionReviewVersions:[]string
PodFailurePolicyRule 1:action:string 2?onExitCodes:PodFailurePolicyOnExitCodesRequirement 3:onPodConditions:[]PodFailurePolicyOnPodConditionsPattern
SuccessPolicyRule 1?succeededIndexes:string 2?succeededCount:int
LabelSelectorRequirement 1:key:string 2:operator:string 3:values:[]string
RollingUpdateDeployment 1?maxUnavailable:IntOrString 2?maxSurge:IntOrString
RollingUpdateDaemonSet 1?maxUnavailable:IntOrString 2?maxSurge:IntOrString
RollingUpdateStatefulSetStrategy 1?partition:int 2?maxUnavailable:IntOrString
ServiceReference 1:namespace:string 2:name:string 3?path:string 4?port:int
Rule 1:apiGroups:[]string 2:apiVersions:[]string 3:resources:[]string 4?scope:string
FieldSelectorAttributes 1:rawSelector:string 2:requirements:[]FieldSelectorRequirement
LabelSelectorAttributes 1:rawSelector:string 2:requirements:[]LabelSelectorRequirement
ClientIPConfig 1?timeoutSeconds:int
LoadBalancerIngress 1:ip:string 2:hostname:string 3?ipMode:string 4:ports:[]PortStatus
GCEPersistentDiskVolumeSource 1:pdName:string 2:fsType:string 3:partition:int 4:readOnly:bool
AWSElasticBlockStoreVolumeSource 1:volumeID:string 2:fsType:string 3:partition:int 4:readOnly:bool
HostPathVolumeSource 1:path:string 2?type:string
GlusterfsPersistentVolumeSource 1:endpoints:string 2:path:string 3:readOnly:bool 4?endpointsNamespace:string
NFSVolumeSource 1:server:string 2:path:string 3:readOnly:bool
RBDPersistentVolumeSource 1:monitors:[]string 2:image:string 3:fsType:string 4:pool:string 5:user:string 6:keyring:string 7?secretRef:SecretReference 8:readOnly:bool
ISCSIPersistentVolumeSource 1:targetPortal:string 2:iqn:string 3:lun:int 4:iscsiInterface:string 5:fsType:string 6:readOnly:bool 7:portals:[]string 8:chapAuthDiscovery:bool 11:chapAuthSession:bool 10?secretRef:SecretReference 12?initiatorName:string
CinderPersistentVolumeSource 1:volumeID:string 2:fsType:string 3:readOnly:bool 4?secretRef:SecretReference
CephFSPersistentVolumeSource 1:monitors:[]string 2:path:string 3:user:string 4:secretFile:string 5?secretRef:SecretReference 6:readOnly:bool
FCVolumeSource 1:targetWWNs:[]string 2?lun:int 3:fsType:string 4:readOnly:bool 5:wwids:[]string
FlockerVolumeSource 1:datasetName:string 2:datasetUUID:string
FlexPersistentVolumeSource 1:driver:string 2:fsType:string 3?secretRef:SecretReference 4:readOnly:bool 5:options:{}string
AzureFilePersistentVolumeSource 1:secretName:string 2:shareName:string 3:readOnly:bool 4?secretNamespace:string
VsphereVirtualDiskVolumeSource 1:volumePath:string 2:fsType:string 3:storagePolicyName:string 4:storagePolicyID:string
QuobyteVolumeSource 1:registry:string 2:volume:string 3:readOnly:bool 4:user:string 5:group:string 6:tenant:string
AzureDiskVolumeSource 1:diskName:string 2:diskURI:string 3?cachingMode:string 4?fsType:string 5?readOnly:bool 6?kind:string
PhotonPersistentDiskVolumeSource 1:pdID:string 2:fsType:string
PortworxVolumeSource 1:volumeID:string 2:fsType:string 3:readOnly:bool
ScaleIOPersistentVolumeSource 1:gateway:string 2:system:string 3?secretRef:SecretReference 4:sslEnabled:bool 5:protectionDomain:string 6:storagePool:string 7:storageMode:string 8:volumeName:string 9:fsType:string 10:readOnly:bool
LocalVolumeSource 1:path:string 2?fsType:string
StorageOSPersistentVolumeSource 1:volumeName:string 2:volumeNamespace:string 3:fsType:string 4:readOnly:bool 5?secretRef:ObjectReference
CSIPersistentVolumeSource 1:driver:string 2:volumeHandle:string 3:readOnly:bool 4:fsType:string 5:volumeAttributes:{}string 6?controllerPublishSecretRef:SecretReference 7?nodeStageSecretRef:SecretReference 8?nodePublishSecretRef:SecretReference 9?controllerExpandSecretRef:SecretReference 10?nodeExpandSecretRef:SecretReference
NodeSelector 1:nodeSelectorTerms:[]NodeSelectorTerm
ScopedResourceSelectorRequirement 1:scopeName:string 2:operator:string 3:values:[]string
NetworkPolicyPort 1?protocol:string 2?port:IntOrString 3?endPort:int
NetworkPolicyPeer 1?podSelector:LabelSelector 2?namespaceSelector:LabelSelector 3?ipBlock:IPBlock
IngressServiceBackend 1:name:string 2:port:ServiceBackendPort
IngressRuleValue 1?http:HTTPIngressRuleValue
IngressLoadBalancerIngress 1:ip:string 2:hostname:string 4:ports:[]IngressPortStatus
ForZone 1:name:string
ForNode 1:name:string
NamedRuleWithOperations 1:resourceNames:[]string 2::RuleWithOperations
ExpressionWarning 2:fieldRef:string 3:warning:string
ObjectMetricSource 1:describedObject:CrossVersionObjectReference 2:target:MetricTarget 3:metric:MetricIdentifier
PodsMetricSource 1:metric:MetricIdentifier 2:target:MetricTarget
ResourceMetricSource 1:name:string 2:target:MetricTarget
ContainerResourceMetricSource 1:name:string 2:target:MetricTarget 3:container:string
ExternalMetricSource 1:metric:MetricIdentifier 2:target:MetricTarget
HPAScalingRules 3?stabilizationWindowSeconds:int 1?selectPolicy:string 2:policies:[]HPAScalingPolicy 4?tolerance:Quantity
ObjectMetricStatus 1:metric:MetricIdentifier 2:current:MetricValueStatus 3:describedObject:CrossVersionObjectReference
PodsMetricStatus 1:metric:MetricIdentifier 2:current:MetricValueStatus
ResourceMetricStatus 1:name:string 2:current:MetricValueStatus
ContainerResourceMetricStatus 1:name:string 2:current:MetricValueStatus 3:container:string
ExternalMetricStatus 1:metric:MetricIdentifier 2:current:MetricValueStatus
EmptyDirVolumeSource 1:medium:string 2?sizeLimit:Quantity
GitRepoVolumeSource 1:repository:string 2:revision:string 3:directory:string
SecretVolumeSource 1:secretName:string 2:items:[]KeyToPath 3?defaultMode:int 4?optional:bool
ISCSIVolumeSource 1:targetPortal:string 2:iqn:string 3:lun:int 4:iscsiInterface:string 5:fsType:string 6:readOnly:bool 7:portals:[]string 8:chapAuthDiscovery:bool 11:chapAuthSession:bool 10?secretRef:LocalObjectReference 12?initiatorName:string
GlusterfsVolumeSource 1:endpoints:string 2:path:string 3:readOnly:bool
PersistentVolumeClaimVolumeSource 1:claimName:string 2:readOnly:bool
RBDVolumeSource 1:monitors:[]string 2:image:string 3:fsType:string 4:pool:string 5:user:string 6:keyring:string 7?secretRef:LocalObjectReference 8:readOnly:bool
FlexVolumeSource 1:driver:string 2:fsType:string 3?secretRef:LocalObjectReference 4:readOnly:bool 5:options:{}string
CinderVolumeSource 1:volumeID:string 2:fsType:string 3:readOnly:bool 4?secretRef:LocalObjectReference
CephFSVolumeSource 1:monitors:[]string 2:path:string 3:user:string 4:secretFile:string 5?secretRef:LocalObjectReference 6:readOnly:bool
DownwardAPIVolumeSource 1:items:[]DownwardAPIVolumeFile 2?defaultMode:int
AzureFileVolumeSource 1:secretName:string 2:shareName:string 3:readOnly:bool
ConfigMapVolumeSource 1::LocalObjectReference 2:items:[]KeyToPath 3?defaultMode:int 4?optional:bool
ProjectedVolumeSource 1:sources:[]VolumeProjection 2?defaultMode:int
ScaleIOVolumeSource 1:gateway:string 2:system:string 3?secretRef:LocalObjectReference 4:sslEnabled:bool 5:protectionDomain:string 6:storagePool:string 7:storageMode:string 8:volumeName:string 9:fsType:string 10:readOnly:bool
StorageOSVolumeSource 1:volumeName:string 2:volumeNamespace:string 3:fsType:string 4:readOnly:bool 5?secretRef:LocalObjectReference
CSIVolumeSource 1:driver:string 2?readOnly:bool 3?fsType:string 4:volumeAttributes:{}string 5?nodePublishSecretRef:LocalObjectReference
EphemeralVolumeSource 1?volumeClaimTemplate:PersistentVolumeClaimTemplate
ImageVolumeSource 1:reference:string 2:pullPolicy:string
ConfigMapEnvSource 1::LocalObjectReference 2?optional:bool
SecretEnvSource 1::LocalObjectReference 2?optional:bool
EnvVarSource 1?fieldRef:ObjectFieldSelector 2?resourceFieldRef:ResourceFieldSelector 3?configMapKeyRef:ConfigMapKeySelector 4?secretKeyRef:SecretKeySelector 5?fileKeyRef:FileKeySelector
ContainerRestartRuleOnExitCodes 1:operator:string 2:values:[]int
ProbeHandler 1?exec:ExecAction 2?httpGet:HTTPGetAction 3?tcpSocket:TCPSocketAction 4?grpc:GRPCAction
LifecycleHandler 1?exec:ExecAction 2?httpGet:HTTPGetAction 3?tcpSocket:TCPSocketAction 4?sleep:SleepAction
Capabilities 1:add:[]string 2:drop:[]string
PreferredSchedulingTerm 1:weight:int 2:preference:NodeSelectorTerm
PodAffinityTerm 1?labelSelector:LabelSelector 2:namespaces:[]string 3:topologyKey:string 4?namespaceSelector:LabelSelector 5:matchLabelKeys:[]string 6:mismatchLabelKeys:[]string
WeightedPodAffinityTerm 1:weight:int 2:podAffinityTerm:PodAffinityTerm
ContainerStateWaiting 1:reason:string 2:message:string
ContainerStateRunning 1:startedAt:Time
ContainerStateTerminated 1:exitCode:int 2:signal:int 3:reason:string 4:message:string 5:startedAt:Time 6:finishedAt:Time 7:containerID:string
VolumeStatus 1?image:ImageVolumeStatus
LinuxContainerUser 1:uid:int 2:gid:int 3:supplementalGroups:[]int
ResourceHealth 1:resourceID:string 2:health:string 6?message:string
JSONSchemaProps 1:id:string 2:$schema:string 3?$ref:string 4:description:string 5:type:string 6:format:string 7:title:string 8?default:Raw 9?maximum:float64 10:exclusiveMaximum:bool 11?minimum:float64 12:exclusiveMinimum:bool 13?maxLength:int 14?minLength:int 15:pattern:string 16?maxItems:int 17?minItems:int 18:uniqueItems:bool 19?multipleOf:float64 20:enum:[]Raw 21?maxProperties:int 22?minProperties:int 23:required:[]string 24?items:JSONSchemaPropsOrArray 25:allOf:[]JSONSchemaProps 26:oneOf:[]JSONSchemaProps 27:anyOf:[]JSONSchemaProps 28?not:JSONSchemaProps 29:properties:{}JSONSchemaProps 30?additionalProperties:JSONSchemaPropsOrBool 31:patternProperties:{}JSONSchemaProps 32:dependencies:{}JSONSchemaPropsOrStringArray 33?additionalItems:JSONSchemaPropsOrBool 34:definitions:{}JSONSchemaProps 35?externalDocs:ExternalDocumentation 36?example:Raw 37:nullable:bool 38?x-kubernetes-preserve-unknown-fields:bool 39:x-kubernetes-embedded-resource:bool 40:x-kubernetes-int-or-string:bool 41:x-kubernetes-list-map-keys:[]string 42?x-kubernetes-list-type:string 43?x-kubernetes-map-type:string 44:x-kubernetes-validations:[]ValidationRule
CustomResourceSubresourceStatus
CustomResourceSubresourceScale 1:specReplicasPath:string 2:statusReplicasPath:string 3?labelSelectorPath:string
apiextensions.WebhookClientConfig 3?url:string 1?service:apiextensions.ServiceReference 2:caBundle:bytes
PodFailurePolicyOnExitCodesRequirement 1?containerName:string 2:operator:string 3:values:[]int
PodFailurePolicyOnPodConditionsPattern 1:type:string 2:status:string
FieldSelectorRequirement 1:key:string 2:operator:string 3:values:[]string
PortStatus 1:port:int 2:protocol:string 3?error:string
SecretReference 1:name:string 2:namespace:string
NodeSelectorTerm 1:matchExpressions:[]NodeSelectorRequirement 2:matchFields:[]NodeSelectorRequirement
IPBlock 1:cidr:string 2:except:[]string
ServiceBackendPort 1:name:string 2:number:int
HTTPIngressRuleValue 1:paths:[]HTTPIngressPath
IngressPortStatus 1:port:int 2:protocol:string 3?error:string
MetricTarget 1:type:string 2?value:Quantity 3?averageValue:Quantity 4?averageUtilization:int
MetricIdentifier 1:name:string 2?selector:LabelSelector
HPAScalingPolicy 1:type:string 2:value:int 3:periodSeconds:int
MetricValueStatus 1?value:Quantity 2?averageValue:Quantity 3?averageUtilization:int
KeyToPath 1:key:string 2:path:string 3?mode:int
DownwardAPIVolumeFile 1:path:string 2?fieldRef:ObjectFieldSelector 3?resourceFieldRef:ResourceFieldSelector 4?mode:int
VolumeProjection 1?secret:SecretProjection 2?downwardAPI:DownwardAPIProjection 3?configMap:ConfigMapProjection 4?serviceAccountToken:ServiceAccountTokenProjection 5?clusterTrustBundle:ClusterTrustBundleProjection 6?podCertificate:PodCertificateProjection
PersistentVolumeClaimTemplate 1:metadata:ObjectMeta 2:spec:PersistentVolumeClaimSpec
ObjectFieldSelector 1:apiVersion:string 2:fieldPath:string
ResourceFieldSelector 1:containerName:string 2:resource:string 3:divisor:Quantity
ConfigMapKeySelector 1::LocalObjectReference 2:key:string 3?optional:bool
SecretKeySelector 1::LocalObjectReference 2:key:string 3?optional:bool
FileKeySelector 1:volumeName:string 2:path:string 3:key:string 4?optional:bool
ExecAction 1:command:[]string
HTTPGetAction 1:path:string 2:port:IntOrString 3:host:string 4:scheme:string 5:httpHeaders:[]HTTPHeader
TCPSocketAction 1:port:IntOrString 2:host:string
GRPCAction 1:port:int 2?service:string
SleepAction 1:seconds:int
ImageVolumeStatus 1:imageRef:string
JSONSchemaPropsOrArray 1=:JSONSchemaProps 2=:[]JSONSchemaProps
JSONSchemaPropsOrBool 1=:bool 2=:JSONSchemaProps
JSONSchemaPropsOrStringArray 1=:JSONSchemaProps 2=:[]string
ExternalDocumentation 1:description:string 2:url:string
ValidationRule 1:rule:string 2:message:string 3:messageExpression:string 4?reason:string 5:fieldPath:string 6?optionalOldSelf:bool
apiextensions.ServiceReference 1:namespace:string 2:name:string 3?path:string 4?port:int
NodeSelectorRequirement 1:key:string 2:operator:string 3:values:[]string
HTTPIngressPath 1:path:string 3?pathType:string 2:backend:IngressBackend
SecretProjection 1::LocalObjectReference 2:items:[]KeyToPath 4?optional:bool
DownwardAPIProjection 1:items:[]DownwardAPIVolumeFile
ConfigMapProjection 1::LocalObjectReference 2:items:[]KeyToPath 4?optional:bool
ServiceAccountTokenProjection 1:audience:string 2?expirationSeconds:int 3:path:string
ClusterTrustBundleProjection 1?name:string 2?signerName:string 3?labelSelector:LabelSelector 5?optional:bool 4:path:string
PodCertificateProjection 1:signerName:string 2:keyType:string 3?maxExpirationSeconds:int 4:credentialBundlePath:string 5:keyPath:string 6:certificateChainPath:string 7:userAnnotations:{}string
HTTPHeader 1:name:string 2:value:string
`
