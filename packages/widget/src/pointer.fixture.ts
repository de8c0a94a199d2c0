import { userEvent } from 'vitest/browser';

/**
 * Moves the pointer to an empty corner, for color tests: the pointer stays where the previous test
 * left it, and `:hover` changes the node under the pointer.
 */
export async function leadPointerAway(): Promise<void> {
  const corner = document.createElement('div');
  corner.style.cssText =
    'position: fixed; inset-block-end: 0; inset-inline-end: 0; inline-size: 4px; block-size: 4px';
  document.body.append(corner);
  await userEvent.hover(corner);
  corner.remove();
}
