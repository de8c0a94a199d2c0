/**
 * For the tests of a shop: plays the element through to any outcome, in a real browser and without
 * a network. Nothing of it belongs into a page that shoppers see.
 * @packageDocumentation
 */
export { FinancingCheckoutHarness } from './harness.ts';
export { orderTicket } from './order-ticket.ts';
export { scenarios } from '../scenario/scenario.ts';
export type {
  Scenario,
  ScenarioAnswer,
  ScenarioName,
  ScenarioRequest,
} from '../scenario/scenario.ts';
