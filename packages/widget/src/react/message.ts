'use client';
import type { ForwardRefExoticComponent, HTMLAttributes, RefAttributes } from 'react';
import type {
  CamelCaseHandlers,
  FinancingMessageAttributes,
  FinancingMessageEvents,
  FinancingMessageProperties,
} from '../../frameworks/props.d.ts';
import { FinancingMessage as FinancingMessageElement } from '../message/financing-message.ts';
import { componentOf } from './component.ts';

export type FinancingMessageProps = FinancingMessageProperties &
  FinancingMessageAttributes &
  CamelCaseHandlers<FinancingMessageEvents> &
  HTMLAttributes<FinancingMessageElement>;

/** `<financing-message>` as a component. Registers the tag. */
export const FinancingMessage: ForwardRefExoticComponent<
  FinancingMessageProps & RefAttributes<FinancingMessageElement>
> = componentOf<FinancingMessageElement, FinancingMessageProps>(
  'financing-message',
  FinancingMessageElement,
);
