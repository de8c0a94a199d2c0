import { FinancingErrorEvent } from '../events/error-event.ts';

/** Reports a problem to the page's developer, with an event and in the console. */
export function report(element: Element, code: string, message: string): void {
  element.dispatchEvent(new FinancingErrorEvent(code, message));
  console.error(
    `<${element.localName}> ${code}: ${message} See "${code}" in the README of @financing-checkout/widget.`,
  );
}
