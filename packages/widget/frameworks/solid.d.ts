import type { FinancingCheckout } from '@financing-checkout/widget';
import type { JSX as Solid } from 'solid-js';
import type {
  FinancingCheckoutAttributes,
  FinancingCheckoutEvents,
  FinancingCheckoutProperties,
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
    }
  }
}
