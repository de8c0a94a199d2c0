import { FinancingErrorEvent } from './events/error-event.ts';

const DOCUMENTATION = 'https://www.npmjs.com/package/@financing-checkout/widget';

/** Tells the developer of the page what is wrong; the console is where they look. */
export function report(element: Element, code: string, message: string): void {
  element.dispatchEvent(new FinancingErrorEvent(code, message));
  console.error(`<financing-checkout> ${code}: ${message} ${DOCUMENTATION}#${code}`);
}
