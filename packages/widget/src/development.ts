/**
 * For a storefront's developer: checks an element's setup, and brings it to any outcome in a real
 * browser without a network. Do not load this module in a page that shoppers see.
 * @packageDocumentation
 */
export { findingsOf } from './development/doctor.ts';
export type { Examined, Finding } from './development/doctor.ts';
export { orderTicket } from './development/order-ticket.ts';
export type { TicketOrder } from './development/order-ticket.ts';
export { FinancingCheckoutHarness } from './harness.ts';
export { scenarios } from './model/scenario.ts';
export type { Scenario, ScenarioAnswer, ScenarioName, ScenarioRequest } from './model/scenario.ts';
