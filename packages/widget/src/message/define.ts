import { FinancingMessage } from './financing-message.ts';

export * from './index.ts';

// A server has no registry, and a page may load this file twice. In an unsupported browser, the
// element shows the content that the page put into it.
if (
  typeof customElements !== 'undefined' &&
  'timeout' in AbortSignal &&
  (typeof CSS === 'undefined' || CSS.supports('color:light-dark(red,red)')) &&
  !customElements.get('financing-message')
) {
  customElements.define('financing-message', FinancingMessage);
}
