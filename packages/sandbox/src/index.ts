/**
 * A stand-in for the financing service, on one machine: its API over HTTPS, its hosted checkout
 * page and its lenders.
 * @packageDocumentation
 */
export { startSandbox } from './sandbox.ts';
export type { Sandbox, SandboxEnvironment, SandboxOptions } from './sandbox.ts';
export type { Behaviour, BehaviourChange, Behaviours } from './behaviour/behaviour.ts';
export { SandboxError } from './problem.ts';
export { createLog } from './log/log.ts';
export type { Log, LogEntry } from './log/log.ts';
export type { ClockChange, ClockReading, SandboxClock } from './clock/clock.ts';
export type { Call } from './calls/calls.ts';
export type { SentAnswer } from './calls/tap.ts';
export { checkAnswer, checkNotification, describeProblem } from './published/index.ts';
export type { Answer, AnswerProblem, BodyProblem } from './published/index.ts';
export { environmentNames } from './environments/environment.ts';
export type { EnvironmentName } from './environments/environment.ts';
export { ConformanceError, runConformance } from './conformance/suite.ts';
export type {
  ConformanceOptions,
  ConformanceReport,
  ConformanceResult,
} from './conformance/suite.ts';
export { conformanceTable } from './conformance/table.ts';
export { proveConformance } from './conformance/mutants/proof.ts';
export type { ConformanceProof, MutantProof } from './conformance/mutants/proof.ts';
