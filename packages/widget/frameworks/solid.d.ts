import type { FinancingCheckout } from '@financing-checkout/widget';
import type { FinancingMessage } from '@financing-checkout/widget/message';
import type { JSX as Solid } from 'solid-js';
import type {
  FinancingCheckoutAttributes,
  FinancingCheckoutEvents,
  FinancingCheckoutProperties,
  FinancingMessageAttributes,
  FinancingMessageEvents,
  FinancingMessageProperties,
} from './props.js';

/** Solid: `import '@financing-checkout/widget/solid'` once, anywhere. Handlers are `on:…`. */
declare module 'solid-js' {
  namespace JSX {
    interface IntrinsicElements {
      'financing-checkout': FinancingCheckoutProperties &
        FinancingCheckoutAttributes & {
          [Type in keyof FinancingCheckoutEvents as `on:${Type}`]?:
            ((event: FinancingCheckoutEvents[Type]) => void) | undefined;
        } & Solid.HTMLAttributes<FinancingCheckout>;
      'financing-message': FinancingMessageProperties &
        FinancingMessageAttributes & {
          [Type in keyof FinancingMessageEvents as `on:${Type}`]?:
            ((event: FinancingMessageEvents[Type]) => void) | undefined;
        } & Solid.HTMLAttributes<FinancingMessage>;
    }
  }
}
