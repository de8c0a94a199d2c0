/**
 * `<financing-prequalify>` without side effects: importing this module registers nothing.
 * `@financing-checkout/widget/prequalify/define` registers the tag.
 * @packageDocumentation
 */
export { FinancingPrequalify } from './financing-prequalify.ts';
export { FinancingPrequalifyOutcomeEvent } from './outcome-event.ts';
export type { PrequalifyResult, PrequalifyStatus } from './outcome-event.ts';
export { prequalifyScenarios } from './scenario.ts';
export type { PrequalifyScenarioName } from './scenario.ts';
export { registerPrequalifyTexts } from './texts/texts.ts';
export type { OwnTexts, PrequalifyTextOverrides, PrequalifyTexts } from './texts/texts.ts';
