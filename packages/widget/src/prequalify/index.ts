/**
 * `<financing-prequalify>` without side effects: importing this module registers nothing.
 * `@financing-checkout/widget/prequalify/define` registers the tag.
 * @packageDocumentation
 */
export { FinancingPrequalify } from './financing-prequalify.ts';
export { FinancingPrequalifyOutcomeEvent } from './outcome-event.ts';
export type { PrequalifyResult, PrequalifyStatus } from './outcome-event.ts';
export { prequalifyScenarios } from '../model/scenario.ts';
export type { PrequalifyScenarioName } from '../model/scenario.ts';
export { registerPrequalifyTexts } from '../texts/prequalify-texts.ts';
export type { PrequalifyTextOverrides, PrequalifyTexts } from '../texts/prequalify-texts.ts';
export type { OwnTexts } from '../texts/texts.ts';
