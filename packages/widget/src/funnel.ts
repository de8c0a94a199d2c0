/**
 * Shoppers' steps from a message to an outcome, for a shop's analytics.
 * @packageDocumentation
 */
import { readTicket } from './companion/ticket.ts';
import { FinancingStepEvent } from './events/step-event.ts';
import type { FunnelStep, StepDetails } from './events/step-event.ts';
import type { Money } from './model/outcome.ts';

export { FinancingStepEvent } from './events/step-event.ts';
export type { FunnelStep, StepDetails } from './events/step-event.ts';

const money = (amount: Money | undefined): StepDetails => ({
  amount: amount?.value,
  currency: amount?.currency,
});

/** Returns the amount of a checkout's order, read from its ticket. */
function ordered(event: Event): StepDetails {
  const [element] = event.composedPath();
  const order: unknown = element && Reflect.get(element, 'order');
  const { currency, totalAmount } = readTicket(typeof order === 'string' ? order : '') ?? {};
  return typeof totalAmount === 'number' && typeof currency === 'string'
    ? { amount: totalAmount, currency }
    : {};
}

/**
 * Dispatches a `financing-step` on the target for each step of a shopper. The steps come from the
 * elements' own events and contain no shopper data.
 * @returns a function that stops observing
 */
export function observeFunnel(target: EventTarget = document): () => void {
  const over = new AbortController();
  /** Elements whose offers have already been reported. */
  const offered = new WeakSet<object>();
  const dispatch = (step: FunnelStep, details: StepDetails) =>
    void target.dispatchEvent(new FinancingStepEvent(step, details));
  const on = <Type extends keyof HTMLElementEventMap>(
    type: Type,
    listener: (event: HTMLElementEventMap[Type]) => void,
  ) => {
    target.addEventListener(type, listener as (event: Event) => void, { signal: over.signal });
  };
  on('financing-message-shown', (event) => dispatch('message-shown', amountOf(event)));
  on('financing-message-open', (event) => dispatch('dialog-opened', amountOf(event)));
  on('financing-start', (event) => {
    const details = ordered(event);
    const [element] = event.composedPath();
    if (element) offered.delete(element);
    // A later listener may still cancel the event.
    queueMicrotask(() => {
      if (!event.defaultPrevented) dispatch('started', details);
    });
  });
  on('financing-application', (event) => {
    const { status } = event;
    if (status === undefined) {
      dispatch('application-created', ordered(event));
      return;
    }
    const [element] = event.composedPath();
    // Several lenders may approve, but the shopper sees a single list of offers.
    if (!status.includes('APPROVED') || !element || offered.has(element)) return;
    offered.add(element);
    dispatch('offers-shown', ordered(event));
  });
  on('financing-confirm', (event) => {
    const { amount, checkoutId } = event;
    dispatch('confirmed', { ...ordered(event), ...(amount && money(amount)), checkoutId });
  });
  on('financing-outcome', (event) => {
    const { amount, checkoutId, outcome, restored } = event;
    if (restored) return;
    dispatch('outcome', { ...ordered(event), ...(amount && money(amount)), checkoutId, outcome });
  });
  return () => over.abort();
}

function amountOf({ amount, currency }: { amount: number; currency: string }): StepDetails {
  return { amount, currency };
}
