/* What tests of several programs share. */
export { TestClock } from './clock/test-clock.ts';
export {
  answerDifference,
  callerRefusals,
  type Example,
  findRoute,
  hasKey,
  type LawAnswer,
  nameOf,
  otherEnvironment,
  otherMachines,
  refusalDifferences,
  type Refusal,
  refusalsOf,
  requestOf,
  type Change,
} from './http/laws.ts';
