import { userEvent } from 'vitest/browser';

/**
 * Leads the pointer to where nothing of interest is. It stays where the test before left it, and
 * what lies under it looks other: for tests of colours.
 */
export async function leadPointerAway(): Promise<void> {
  const corner = document.createElement('div');
  corner.style.cssText =
    'position: fixed; inset-block-end: 0; inset-inline-end: 0; inline-size: 4px; block-size: 4px';
  document.body.append(corner);
  await userEvent.hover(corner);
  corner.remove();
}
