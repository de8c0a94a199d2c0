import type { ReactiveElement } from 'lit';
import { catalogueOf } from '../message/catalogue.ts';
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

/**
 * Warnings that were already shown, by element and kind, because a page may contain a hundred
 * messages.
 */
const warned = new Set<string>();

/** Returns the mistake in the amount of an element, given the programmes that the page knows. */
export function mistakeOf({ amount, companion, currency, localName }: Priced) {
  // An application needs no amount, and its default is an empty string.
  if (amount === '' && localName !== 'financing-message') return undefined;
  return mistakeIn(amount, currency, catalogueOf(companion)?.programmes ?? []);
}

/** Warns once in the console about mistakes in the amounts of an element's instances. */
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
