/**
 * A stand-in for the financing service, on one machine: its API over HTTPS, its hosted checkout
 * page and its lenders.
 * @packageDocumentation
 */
export { startSandbox } from './sandbox.ts';
export { sdkIntegrity } from './hosted/sdk.ts';
export type { Sandbox, SandboxEnvironment, SandboxOptions } from './sandbox.ts';
export type { Behavior, BehaviorChange, Behaviors } from './state/behavior.ts';
export { SandboxError } from './platform/problem.ts';
export { createLog } from './platform/log.ts';
export type { Log, LogEntry } from './platform/log.ts';
export type { ClockChange, ClockReading, SandboxClock } from './state/clock.ts';
export type { Call } from './api/calls.ts';
export type { SentAnswer } from './api/tap.ts';
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
