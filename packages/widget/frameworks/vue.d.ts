import type { HTMLAttributes } from 'vue';
import type { FinancingCheckoutEvents, FinancingCheckoutProperties } from './props.js';

type Camel<Type extends string> = Type extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Type;

/** As Vue sees them: names of attributes and events in camel case. */
type Props = FinancingCheckoutProperties & {
  [Type in keyof FinancingCheckoutEvents as `on${Capitalize<Camel<Type>>}`]?:
    ((event: FinancingCheckoutEvents[Type]) => void) | undefined;
} & HTMLAttributes;

/** Vue templates: `import '@financing-checkout/widget/vue'` once, anywhere. */
declare module 'vue' {
  interface GlobalComponents {
    'financing-checkout': new () => { $props: Props };
  }
  interface HTMLAttributes {
    /** Where it goes in a custom element; Vue's own slots are written otherwise. */
    slot?: string | undefined;
  }
}
