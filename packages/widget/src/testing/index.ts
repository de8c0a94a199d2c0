/**
 * For a shop's tests: brings the element to any outcome, in a real browser and without a network.
 * Do not load this module in a page that shoppers see.
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
