/**
 * Returns the nearest `lang`, even from outside the shadow roots that contain the element.
 * @param observer observes each root for changes
 */
export function languageAround(element: Element, observer: MutationObserver | undefined): string {
  const root = element.getRootNode();
  observer?.observe(root, { attributeFilter: ['lang', 'disabled'], subtree: true });
  const near = element.closest<HTMLElement>('[lang]')?.lang;
  return near ?? (root instanceof ShadowRoot ? languageAround(root.host, observer) : '');
}
