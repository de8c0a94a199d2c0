import type { FinancingCheckout } from '@financing-checkout/widget';
import type { FinancingMessage } from '@financing-checkout/widget/message';
import type { FinancingPrequalify } from '@financing-checkout/widget/prequalify';
import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type {
  FinancingCheckoutAttributes,
  FinancingCheckoutHandlers,
  FinancingCheckoutProperties,
  FinancingMessageAttributes,
  FinancingMessageHandlers,
  FinancingMessageProperties,
  FinancingPrequalifyHandlers,
  FinancingPrequalifyProperties,
} from './props.js';

/**
 * The tags in React 19. `@financing-checkout/widget/react` exports these types and the components.
 */
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'financing-checkout': FinancingCheckoutProperties &
        FinancingCheckoutAttributes &
        FinancingCheckoutHandlers &
        DetailedHTMLProps<HTMLAttributes<FinancingCheckout>, FinancingCheckout>;
      'financing-message': FinancingMessageProperties &
        FinancingMessageAttributes &
        FinancingMessageHandlers &
        DetailedHTMLProps<HTMLAttributes<FinancingMessage>, FinancingMessage>;
      'financing-prequalify': FinancingPrequalifyProperties &
        FinancingCheckoutAttributes &
        FinancingPrequalifyHandlers &
        DetailedHTMLProps<HTMLAttributes<FinancingPrequalify>, FinancingPrequalify>;
    }
  }
}
