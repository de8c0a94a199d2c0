/**
 * False on a server, in jsdom and in old browsers, where an element only shows the shop's content.
 */
export const isSupported = (element: object): boolean => 'checkVisibility' in element;

/**
 * Returns whether a disabled fieldset contains the element. Form association is not used, because
 * it would blur the lender's page when the shop disables the fieldset during a checkout.
 */
export const isFenced = (element: Element): boolean =>
  element.closest('fieldset:disabled > :not(legend:first-of-type)') !== null;
