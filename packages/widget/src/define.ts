import { FinancingCheckout } from './financing-checkout.ts';

export * from './index.ts';

const tag = 'financing-checkout';

// A server has no registry, and a page may load this file twice, or in two versions. In an
// unsupported browser the tag keeps the shop's own content, for example a form.
if (
  typeof customElements !== 'undefined' &&
  'canParse' in URL &&
  'any' in AbortSignal &&
  (typeof CSS === 'undefined' || CSS.supports('color:light-dark(red,red)'))
) {
  const known = customElements.get(tag);
  if (!known) {
    customElements.define(tag, FinancingCheckout);
  } else if ((known as Partial<typeof FinancingCheckout>).version !== FinancingCheckout.version) {
    console.warn(
      `<${tag}> is already defined in another version than ${FinancingCheckout.version}.`,
    );
  }
}
