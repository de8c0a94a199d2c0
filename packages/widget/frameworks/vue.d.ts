import type { HTMLAttributes } from 'vue';
import type { FinancingCheckoutEvents, FinancingCheckoutProperties } from './props.js';

type Camel<Type extends string> = Type extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Type;

/** Vue's view of the element: attributes and events in camel case. */
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
    /** The slot of a custom element. Vue's own slots use another syntax. */
    slot?: string | undefined;
  }
}
