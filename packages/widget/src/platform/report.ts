import { FinancingErrorEvent } from '../events/error-event.ts';

const DOCUMENTATION = 'https://www.npmjs.com/package/@financing-checkout/widget';

/** Reports a problem to the developer of the page, by an event and in the console. */
export function report(element: Element, code: string, message: string): void {
  element.dispatchEvent(new FinancingErrorEvent(code, message));
  console.error(`<${element.localName}> ${code}: ${message} ${DOCUMENTATION}#${code}`);
}
