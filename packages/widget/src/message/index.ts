/**
 * `<financing-message>` without side effects: importing this module registers nothing.
 * `@financing-checkout/widget/message/define` registers the tag.
 * @packageDocumentation
 */
export { FinancingMessage } from './financing-message.ts';
export type { FinancingMessageOpenEvent } from '../events/message-open-event.ts';
export type { FinancingMessageShownEvent, ShownMessage } from '../events/message-shown-event.ts';
export type { FinancingQualifyEvent } from '../events/qualify-event.ts';
export type { Programme, Programmes, ProgrammeText } from './programmes.ts';
