/**
 * `<financing-checkout>` without side effects: importing this module registers nothing.
 * `@financing-checkout/widget/define` registers the tag.
 * @packageDocumentation
 */
export { FinancingCheckout } from './financing-checkout.ts';
export { FinancingErrorEvent } from './events/error-event.ts';
export type { FinancingApplicationEvent } from './events/application-event.ts';
export type { FinancingConfirmEvent } from './events/confirm-event.ts';
export type { FinancingDataUpdateEvent, UpdatedData } from './events/data-update-event.ts';
export type { FinancingOrderChangeEvent } from './events/order-change-event.ts';
export { FinancingOutcomeEvent } from './events/outcome-event.ts';
export { FinancingStartEvent } from './events/start-event.ts';
export type { Scenario, ScenarioAnswer, ScenarioName, ScenarioRequest } from './model/scenario.ts';
export type { CheckoutResult, Environment, Money, Outcome, Reversal } from './model/outcome.ts';
export { registerTexts } from './texts/checkout-texts.ts';
export type { TextOverrides } from './texts/checkout-texts.ts';
export type { Texts } from './texts/texts.ts';
