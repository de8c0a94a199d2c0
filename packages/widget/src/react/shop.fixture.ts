import { createElement, StrictMode, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { FinancingCheckout as CheckoutElement } from '../index.ts';
import { FinancingCheckout, FinancingMessage, FinancingPrequalify } from './index.ts';

/** A page with every element. The log records what the handlers and the ref received. */
function Shop(): ReactElement {
  const [log, setLog] = useState<readonly string[]>([]);
  const [edition, setEdition] = useState(1);
  const terms = useRef<HTMLInputElement>(null);
  const checkout = useRef<CheckoutElement>(null);
  const add = (entry: string) => setLog((before) => [...before, `${edition}: ${entry}`]);
  return createElement(
    'main',
    null,
    createElement('label', null, createElement('input', { type: 'checkbox', ref: terms }), 'Terms'),
    createElement(
      FinancingCheckout,
      {
        ref: checkout,
        id: 'checkout',
        className: 'payment',
        publicKey: 'pk-test-1',
        environment: 'sandbox',
        companion: 'https://companion.example',
        order: 'opaque-reference-1',
        scenario: 'approved',
        disabled: edition === 3,
        phone: edition === 1,
        texts: edition === 3 ? undefined : { label: `Pay in rates, ${edition}` },
        onFinancingStart: (event) => {
          add(terms.current?.checked ? 'start' : 'terms are missing');
          if (!terms.current?.checked) event.preventDefault();
        },
        onFinancingOutcome: ({ outcome }) => add(outcome),
      },
      createElement('a', { slot: 'other-methods', href: '#card' }, 'Pay by card'),
    ),
    createElement(FinancingPrequalify, {
      environment: 'sandbox',
      companion: 'https://companion.example',
      currency: 'USD',
      amount: '129900',
      scenario: 'prequalified',
      texts: { label: 'Do I qualify?' },
      onFinancingPrequalifyOutcome: ({ status }) => add(status),
    }),
    createElement(FinancingMessage, {
      amount: 89_000 * edition,
      currency: 'USD',
      companion: 'https://companion.example',
      'qualify-href': '/qualify',
      onFinancingMessageOpen: ({ amount }) => add(`opened at ${amount}`),
    }),
    createElement('button', { id: 'next', onClick: () => setEdition(edition + 1) }, 'Next edition'),
    createElement(
      'button',
      { id: 'ref', onClick: () => add(checkout.current?.id ?? 'no reference') },
      'Use the reference',
    ),
    createElement('output', null, log.join('\n')),
  );
}

export const page = (): ReactElement => createElement(StrictMode, null, createElement(Shop));
