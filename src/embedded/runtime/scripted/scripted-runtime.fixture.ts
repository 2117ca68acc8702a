// The name by which tests import the scripted runtime.
export {
  createScriptedRuntime,
  type NetworkScript,
  type PlayedContainer,
  type Script,
  type ScriptedRuntime,
  type ScriptedRuntimeOptions,
} from './scripted-runtime.ts'
