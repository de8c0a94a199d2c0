'use client';
import type { ForwardRefExoticComponent, HTMLAttributes, RefAttributes } from 'react';
import type {
  CamelCaseHandlers,
  FinancingPrequalifyEvents,
  FinancingPrequalifyProperties,
} from '../../frameworks/props.d.ts';
import { FinancingPrequalify as FinancingPrequalifyElement } from '../prequalify/financing-prequalify.ts';
import { componentOf } from './component.ts';

export type FinancingPrequalifyProps = FinancingPrequalifyProperties &
  CamelCaseHandlers<FinancingPrequalifyEvents> &
  HTMLAttributes<FinancingPrequalifyElement>;

/** `<financing-prequalify>` as a component. Registers the tag. */
export const FinancingPrequalify: ForwardRefExoticComponent<
  FinancingPrequalifyProps & RefAttributes<FinancingPrequalifyElement>
> = componentOf<FinancingPrequalifyElement, FinancingPrequalifyProps>(
  'financing-prequalify',
  FinancingPrequalifyElement,
);
