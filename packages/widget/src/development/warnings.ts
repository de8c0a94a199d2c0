import type { ReactiveElement } from 'lit';
import { catalogOf } from '../message/catalog.ts';
import { mistakeIn } from './amounts.ts';
import type { AmountMistake } from './amounts.ts';

/** An element that has an amount. */
export interface Priced extends Element {
  readonly amount: unknown;
  readonly currency?: string | null | undefined;
  readonly companion?: string | null | undefined;
}

interface PricedClass {
  new (): ReactiveElement & Priced;
  readonly addInitializer: typeof ReactiveElement.addInitializer;
}

/** Warnings already shown, by element and kind, because a page may contain a hundred messages. */
const warned = new Set<string>();

/**
 * Returns the mistake in an element's amount, given the programmes that the page knows, or in a
 * companion that publishes none.
 */
export function mistakeOf(element: Priced): AmountMistake | undefined {
  const { amount, companion, currency, localName } = element;
  const isMessage = localName === 'financing-message';
  // An application needs no amount, and its default is an empty string.
  if (amount === '' && !isMessage) return undefined;
  const { programmes } = catalogOf(companion) ?? {};
  if (isMessage && programmes?.length === 0) {
    const advice = 'shows nothing: the companion publishes no programmes.';
    return { kind: 'no-programmes', advice: `${advice} Set its FINANCING_PROGRAMMES_FILE.` };
  }
  return mistakeIn(amount, currency, programmes ?? []);
}

/** Warns once in the console about mistakes in the amounts of a class's elements. */
export function warnOfAmounts(elementClass: PricedClass): void {
  elementClass.addInitializer((element) => {
    if (!(element instanceof elementClass)) return;
    element.addController({ hostUpdated: () => warn(element, mistakeOf(element)) });
  });
}

function warn(element: Priced, mistake: AmountMistake | undefined): void {
  const key = `${element.localName} ${mistake?.kind}`;
  if (!mistake || warned.has(key)) return;
  warned.add(key);
  console.warn(`<${element.localName}> ${mistake.advice}`, element);
}
