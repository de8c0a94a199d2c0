/** Marks the element in the header while an application is open, so that its notice moves no page. */
export function markUnderWay(element: HTMLElement): void {
  const mark = 'under-way';
  element.addEventListener('financing-start', () => element.classList.add(mark));
  element.addEventListener('financing-prequalify-outcome', () => element.classList.remove(mark));
}
