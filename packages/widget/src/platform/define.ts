/**
 * Registers a tag. A server has no registry, and a page may load a file twice, or in two versions.
 * In an unsupported browser the element keeps the shop's own content, for example a form.
 */
export function define(
  tag: string,
  element: CustomElementConstructor & { readonly version?: string },
): void {
  if (
    typeof customElements === 'undefined' ||
    !('canParse' in URL) ||
    !('any' in AbortSignal) ||
    !(typeof CSS === 'undefined' || CSS.supports('color:light-dark(red,red)'))
  ) {
    return;
  }
  const known = customElements.get(tag);
  if (!known) customElements.define(tag, element);
  else if ((known as typeof element).version !== element.version) {
    console.warn(`<${tag}> is already defined in another version than ${element.version}.`);
  }
}
