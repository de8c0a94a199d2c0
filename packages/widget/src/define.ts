import { FinancingCheckout } from './financing-checkout.ts';

export * from './index.ts';

const tag = 'financing-checkout';

// On a server there may be no registry, and a page may load this twice, or two versions of it.
// In a browser that lacks what the element needs, what the shop has put into the tag stays: a form.
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
      `<${tag}> is defined already, in another version than ${FinancingCheckout.version}.`,
    );
  }
}
