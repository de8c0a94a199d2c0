'use client';
import type { ForwardRefExoticComponent, HTMLAttributes, RefAttributes } from 'react';
import type {
  CamelCaseHandlers,
  FinancingCheckoutEvents,
  FinancingCheckoutProperties,
} from '../../frameworks/props.d.ts';
import { FinancingCheckout as FinancingCheckoutElement } from '../financing-checkout.ts';
import { componentOf } from './component.ts';

export type FinancingCheckoutProps = FinancingCheckoutProperties &
  CamelCaseHandlers<FinancingCheckoutEvents> &
  HTMLAttributes<FinancingCheckoutElement>;

/** `<financing-checkout>` as a component. Registers the tag. */
export const FinancingCheckout: ForwardRefExoticComponent<
  FinancingCheckoutProps & RefAttributes<FinancingCheckoutElement>
> = componentOf<FinancingCheckoutElement, FinancingCheckoutProps>(
  'financing-checkout',
  FinancingCheckoutElement,
);
